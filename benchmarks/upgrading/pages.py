"""What a site answers at every address, as text to compare before and after an upgrade.

    DATABASE_URL=... DATA_DIR=... python PATH/pages.py FOLDER   # in a checkout

Reads only: every GET of every study as its owner, with what stands in the database in
place of the parts of the address. What differs at each look (tokens, versions of files,
how long ago) is levelled out. `--compare A B` prints what differs.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

LEVEL = (
    (re.compile(r'(name="csrfmiddlewaretoken" value=")\w+'), r"\1T"),
    (re.compile(r'("X-CSRFToken": ")\w+'), r"\1T"),
    (re.compile(r"(/static/[\w./-]+?)\.[0-9a-f]{12}(\.\w+)"), r"\1\2"),
    (re.compile(r'(nonce=")[^"]+'), r"\1N"),
    (re.compile(r"\b\d+ (second|minute|hour)s?( ago)?\b"), "a while"),
    (re.compile(r"\b(just now|a moment ago|less than a minute ago)\b"), "a while"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(Z|\+00:00)?"), "a moment"),
    (re.compile(r"\d{1,2} \w{3} \d{4}, \d\d:\d\d( UTC)?"), "a moment"),
    (re.compile(r"\s+"), " "),
)


def walk(resolver: Any = None, before: str = "") -> Iterator[tuple[str, str]]:
    """Every route with its name, but the admin's."""
    from django.urls import URLPattern, get_resolver

    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern.name or ""
        elif route != "admin/":
            yield from walk(pattern, route)


def values(study: Any) -> dict[str, list[str]]:
    """What stands for each part of an address, by rows of the study."""
    from django.apps import apps

    from annotation.models.surveys import pseudonym

    def cells(model: str, field: str, **where: object) -> list[str]:
        manager = apps.get_model(model)._default_manager
        rows = manager.filter(**where).order_by("pk").values_list(field, flat=True)
        return [str(cell) for cell in rows[:3]]

    workers = study.workers.order_by("pk").values_list("pk", flat=True)[:3]
    pk, of_study = study.pk, {"study": study}
    return {
        "<slug:name>": [study.name],
        "<uuid:study_id>": [str(study.public_id)],
        "<slug:worker>": [pseudonym(study, worker) for worker in workers],
        "<uuid:seat_id>": cells("annotation.Seat", "public_id", survey__study=pk),
        "<int:number>": cells("annotation.Survey", "number", **of_study),
        "<int:member>": cells("annotation.Member", "pk", **of_study),
        "<int:trial>": cells("scoring.JudgeTrial", "pk", **of_study),
        "<int:anchors>": cells("scoring.AnchorSet", "pk", **of_study),
        "<int:probe>": cells("scoring.Probe", "pk", **of_study),
        "<int:evaluators>": cells("scoring.EvaluatorTable", "pk", **of_study),
        "<int:pk>": cells("scoring.MetricRun", "pk", **of_study),
        "<slug:training>": ["learner-1"],
        "<slug:corpus>": cells("scoring.Corpus", "name", **of_study),
        "<slug:aspect>": cells("annotation.Aspect", "key", **of_study),
        "<slug:metric>": ["length", "llm_judge"],
        "<slug:analysis>": "agreement correlations systems raters diagnosis".split(),
        "<slug:kind>": "texts ratings surveys workers scores votes".split(),
        "<slug:format>": ["csv", "jsonl"],
        "<slug:which>": ["approve"],
        "<slug:table>": "correlations alpha curves surface verdicts".split(),
        "<path:output>": ["coherence"],
    }


def addresses(route: str, parts: dict[str, list[str]]) -> list[str]:
    routes = [route]
    for part, choices in parts.items():
        if part in route:
            routes = [at.replace(part, quote(v)) for at in routes for v in choices]
    return [f"/{at}" for at in routes if "<" not in at and "logout" not in at]


def levelled(body: str) -> str:
    for pattern, instead in LEVEL:
        body = pattern.sub(instead, body)
    return body


def captured() -> dict[str, dict[str, str]]:
    """By address: the status, and the body where it is text."""
    from django.test import Client

    from annotation.models import Member, Study

    answers: dict[str, dict[str, str]] = {}
    for study in Study.objects.order_by("pk"):
        owner = Member.objects.filter(study=study, role="owner").first()
        if owner is None:
            continue
        client = Client(raise_request_exception=False)
        client.force_login(owner.user)
        parts = values(study)
        for route, _ in walk():
            for at in addresses(route, parts):
                if at not in answers:
                    answers[at] = answered(client.get(at))
    return answers


def answered(response: Any) -> dict[str, str]:
    kind = response.headers.get("Content-Type", "")
    streams = response.streaming
    body = b"".join(response.streaming_content) if streams else response.content
    is_text = kind.startswith(("text/", "application/json"))
    return {
        "status": f"{response.status_code} {response.headers.get('Location', '')}",
        "body": levelled(body.decode()) if is_text else kind,
    }


def in_order(body: str) -> str:
    """The keys of an object of JSON may come in any order."""
    try:
        return json.dumps(json.loads(body), sort_keys=True)
    except ValueError:
        return body


def compare(before: Path, after: Path) -> int:
    old, new = (json.loads(path.read_text()) for path in (before, after))
    n_differing = 0
    for at, answer in old.items():
        difference = why_not_equal(answer, new.get(at))
        n_differing += bool(difference)
        if difference:
            print(f"{at}: {difference}")
    print(f"{n_differing} of {len(old)} differ; {len(set(new) - set(old))} are new")
    return n_differing


def why_not_equal(old: dict[str, str], new: dict[str, str] | None) -> str:
    if new is None:
        return "gone"
    if new["status"] != old["status"]:
        return f"{old['status']} -> {new['status']}"
    before, after = in_order(old["body"]), in_order(new["body"])
    if before == after:
        return ""
    pairs = enumerate(zip(before, after, strict=False))
    shorter = min(len(before), len(after))
    first = next((at for at, (a, b) in pairs if a != b), shorter)
    part = slice(max(0, first - 80), first + 120)
    return f"\n  - {before[part]}\n  + {after[part]}"


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        sys.exit(bool(compare(Path(sys.argv[2]), Path(sys.argv[3]))))
    sys.path.insert(0, os.getcwd())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django
    from django.conf import settings

    django.setup()
    settings.ALLOWED_HOSTS.append("testserver")
    rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    rates.update(dict.fromkeys(rates, "1000000/min"))
    Path(sys.argv[1]).write_text(json.dumps(captured(), indent=0))
