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


def walk(resolver: object = None, before: str = "") -> Iterator[tuple[str, str]]:
    """Every route with its name, but the admin's."""
    from django.urls import URLPattern, get_resolver

    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern.name or ""
        elif route != "admin/":
            yield from walk(pattern, route)


def values(study: object) -> dict[str, list[str]]:
    """What stands for each part of an address, by rows of the study."""
    from django.apps import apps

    from annotation.models.surveys import pseudonym

    def rows(model: str, field: str, **where: object) -> list[str]:
        manager = apps.get_model(model)._default_manager
        found = manager.filter(**where).order_by("pk").values_list(field, flat=True)
        return [str(value) for value in found[:3]]

    workers = study.workers.order_by("pk").values_list("pk", flat=True)[:3]
    pk, of_study = study.pk, {"study": study}
    return {
        "<slug:name>": [study.name],
        "<uuid:study_id>": [str(study.public_id)],
        "<slug:worker>": [pseudonym(study, worker) for worker in workers],
        "<uuid:seat_id>": rows("annotation.Seat", "public_id", survey__study=pk),
        "<int:number>": rows("annotation.Survey", "number", **of_study),
        "<int:member>": rows("annotation.Member", "pk", **of_study),
        "<int:trial>": rows("scoring.JudgeTrial", "pk", **of_study),
        "<int:anchors>": rows("scoring.AnchorSet", "pk", **of_study),
        "<int:probe>": rows("scoring.Probe", "pk", **of_study),
        "<int:evaluators>": rows("scoring.EvaluatorTable", "pk", **of_study),
        "<int:pk>": rows("scoring.MetricRun", "pk", **of_study),
        "<slug:training>": ["learner-1"],
        "<slug:corpus>": rows("scoring.Corpus", "name", **of_study),
        "<slug:aspect>": rows("annotation.Aspect", "key", **of_study),
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
                if at in answers:
                    continue
                answer = client.get(at)
                kind = answer.headers.get("Content-Type", "")
                body = b"".join(answer.streaming_content) if answer.streaming else answer.content
                is_text = kind.startswith(("text/", "application/json"))
                answers[at] = {
                    "status": f"{answer.status_code} {answer.headers.get('Location', '')}",
                    "body": levelled(body.decode()) if is_text else kind,
                }
    return answers


def compare(before: Path, after: Path) -> int:
    old, new = (json.loads(path.read_text()) for path in (before, after))
    differing = 0
    for at, answer in old.items():
        other = new.get(at)
        if other == answer:
            continue
        differing += 1
        if other is None:
            print(f"{at}: gone")
        elif other["status"] != answer["status"]:
            print(f"{at}: {answer['status']} -> {other['status']}")
        else:
            a, b = answer["body"], other["body"]
            first = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            print(f"{at}:\n  - {a[max(0, first-80):first+120]}\n  + {b[max(0, first-80):first+120]}")
    print(f"{differing} of {len(old)} differ; {len(set(new) - set(old))} are new")
    return differing


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
