"""Forms, paths and pages of workers, asked for with hostile values.

    python -m benchmarks.fuzz_forms --seed 1 --requests 10000

Each request goes through the whole of Django, on a database of its own. It ends with
1 if anything was answered with 500, or took more than two seconds of the processor.
The API is attacked by schemathesis instead: see fuzz.md.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import random
import re
import sys
import tempfile
import time
import uuid
from collections import Counter
from html.parser import HTMLParser
from itertools import cycle
from typing import Any, NamedTuple
from urllib.parse import quote

from benchmarks import fuzz_site

MOST_SECONDS = 2.0
ROUND = 700  # requests to one set of studies, which are then replaced
KINDS = ("form", "form", "form", "path", "worker", "raw")
NEVER = ("/logout/", "/admin/")  # a session that ended finds nothing
LONG = 100_000

HOSTILE = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1",
        "2",
        "null",
        "None",
        "true",
        "NaN",
        "inf",
        "1e999",
        "1e5",
    ),
    *("~root", "//evil.example", "javascript:alert(1)", "../../etc/passwd", ".", "%00"),
    *("\0", "\x07", "\x7f", "\u202e", "\ufeff", "é", "😀", "٣", "²", "ﷺ", "a\r\nb"),
    *("9" * 19, "9" * 400, "1" * LONG, "1" * LONG + "!", "a" * LONG, " " * LONG),
    *(
        "{{ 1 }}",
        "{% x %}",
        "<script>alert(1)</script>",
        "' OR 1=1 --",
        '"',
        "`" * 5000,
    ),
    *("[" * 10_000, '{"a": "\\ud800"}', '[{"key": "a", "question": "\\ud800"}]', "[]"),
    *(
        "a: x" + " " * LONG + "y",
        "a 1" + "1" * 5000 + "-5: q",
        "bundled:",
        "a/b@c",
        "-",
    ),
    *("=HYPERLINK(1)", "x;=1", "1970-01-01", "9999-12-31T23:59", "on", "a,b,c", "1-5"),
    *(
        '[{"start": 0, "end": 1, "words": "T", "severity": "minor"}]',
        '[{"start": -1, "end": 1e400, "words": "T"}]',
        '[{"start": 0, "end": 99999999999999999999, "words": ""}]',
        '[{"start": 3, "end": 3, "words": "\\ud800", "category": "\\u0000"}]',
        '[{"start": 0, "end": 1, "words": "T"}' + ', {"start": 1}' * 5000 + "]",
    ),
    str(uuid.UUID(int=1)),
)
FILES = (
    *(b"", b"\0", b"\xff\xfea", b"\xef\xbb\xbf", b"{}", b"[]", b"null", b"[" * 50_000),
    b'{"s":{"labels":["\\ud800","b"],"prompts":["<gen_result> <mask_token>"],'
    b'"words":[["a","b"]]}}',
    b"prefix,label,system,text,log_probability\np,,s,hello," + b"1" * LONG + b"!\n",
    b"prefix,label,system,text\n" + b'p,,s,"' + b"a" * LONG,
    b"key,output,value,direction\n1,q," + b"1" * LONG + b"!,higher\n",
    b"pair,first,second,outcome\np,a,b,1\n",
    b'{"text": "a\\u0000"}\n{"text": ' + b"1" * 5000 + b"}\n",
    b"\x1f\x8b\x08" + b"a" * 100,
)
CHARSETS = ("utf-8", "utf-16", "utf-7", "rot13", "unicode_escape", "x", "latin-1")


class Form(NamedTuple):
    action: str
    post: bool
    fields: dict[str, list[str]]  # name: values that the page offers
    files: list[str]


class Forms(HTMLParser):
    """All forms of a page."""

    def __init__(self, page: str, address: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._address, self._select, self._inside = address, "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            action = has.get("action") or self._address
            post = has.get("method", "get").lower() == "post"
            self.found.append(Form(action, post, {}, []))
            self._inside = True
        elif self._inside:
            self._field(tag, has)

    def _field(self, tag: str, has: dict[str, str]) -> None:
        form, name = self.found[-1], has.get("name", "")
        if tag == "option" and self._select:
            form.fields[self._select].append(has.get("value", ""))
        elif has.get("type") == "file":
            form.files.append(name)
        elif tag in ("input", "textarea", "select", "button") and name:
            form.fields.setdefault(name, []).append(has.get("value", ""))
            self._select = name if tag == "select" else self._select

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        if tag == "select":
            self._select = ""


class Fuzz:
    """One run: what was asked, and what went wrong."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.asked: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.faults: list[str] = []
        self.slowest = (0.0, "")
        self.page_kinds = cycle(("ratings", "spans", "pair", "edit"))

    def begin(self) -> None:
        """New studies, which nobody has spoilt yet."""
        from django.contrib.auth.models import User
        from django.core.management import call_command
        from django.test import Client

        from annotation.models import Study

        call_command("flush", interactive=False, verbosity=0)
        kind = next(self.page_kinds)
        fuzz_site.fill("ferry", is_open=True, kind=kind)
        fuzz_site.fill("draft", is_open=False)
        self.researcher = Client(raise_request_exception=False)
        self.researcher.force_login(User.objects.get(username="alice"))
        self.worker = Client(raise_request_exception=False)
        self.study = Study.objects.get(name="ferry")
        self.routes = [route for route in _routes() if not route.startswith(NEVER)]
        self.pages, self.forms = [], []
        for path in filter(None, map(self._filled, self.routes)):
            answer = self.ask(self.researcher, "page", "GET", path)
            if answer.status_code == 200:
                self.pages.append(path)
                self.forms += self._forms_of(answer, path)

    def _forms_of(self, answer: Any, path: str) -> list[Form]:
        if "html" not in answer.get("Content-Type", "") or answer.streaming:
            return []
        found = Forms(answer.content.decode(), path).found
        return [one for one in found if not one.action.startswith(NEVER)]

    # One request ----------------------------------------------------------------------

    def ask(self, client: Any, kind: str, method: str, path: str, **more: Any) -> Any:
        before = time.process_time()
        answer = client.generic(method, path, **more)
        if getattr(answer, "streaming", False):
            b"".join(answer.streaming_content)
        took = time.process_time() - before
        told = f"{method} {path[:200]}"
        self.asked[kind] += 1
        self.statuses[answer.status_code] += 1
        self.slowest = max(self.slowest, (took, told))
        if answer.status_code >= 500 or took > MOST_SECONDS:
            sent = str(more.get("data", b"")[:300])
            self.faults.append(f"{answer.status_code} {took:.1f} s {told} {sent}")
        return answer

    def step(self) -> None:
        kind = self.random.choice(KINDS)
        getattr(self, f"_{kind}")()

    def _form(self) -> None:
        """A form of a page, with some fields as offered and others hostile."""
        self._send(self.researcher, "form", self.random.choice(self.forms))

    def _send(self, client: Any, kind: str, form: Form) -> None:
        fields = [(name, self._value(given)) for name, given in form.fields.items()]
        fields += [(name, self._hostile()) for name in self.random.choices(WORDS, k=1)]
        if not form.post:
            query = "&".join(f"{quote(n)}={quote(v[:2000])}" for n, v in fields)
            self.ask(client, kind, "GET", f"{form.action.split('?')[0]}?{query}")
            return
        files = [(name, self.random.choice(FILES)) for name in form.files]
        body, content_type = _multipart(fields, files, self.random.choice(ENDS))
        self.ask(
            client, kind, "POST", form.action, data=body, content_type=content_type
        )

    def _path(self) -> None:
        """An address with hostile parts, by any method."""
        route = self.random.choice(self.routes)
        part = quote(self._hostile()[:300], safe="")
        path = "/" + re.sub(
            r"<\w+:(\w+)>", lambda found: self._part(found[1], part), route
        )
        query = f"?{self.random.choice(WORDS)}={quote(self._hostile()[:3000])}"
        client = self.random.choice((self.researcher, self.worker))
        method = self.random.choice(("GET", "GET", "HEAD", "POST", "PUT", "OPTIONS"))
        self.ask(client, "path", method, path + query)

    def _part(self, name: str, hostile: str) -> str:
        known = self.random.random() < 0.5
        return "ferry" if name == "name" and known else hostile

    def _worker(self) -> None:
        """Arrive, agree, answer: the forms of a worker's own pages."""
        start = self.study.get_worker_url()
        if self.random.random() < 0.1:
            from django.test import Client

            self.worker = Client(raise_request_exception=False)
            who = self.random.choice((self._hostile()[:500], uuid.uuid4().hex))
            self.ask(self.worker, "worker", "GET", f"{start}?worker={quote(who)}")
            self._agree(start)
        page = self.random.choice((start, self._seat(), self._seat(), f"{start}done/"))
        answer = self.ask(self.worker, "worker", "GET", page)
        forms = Forms(answer.content.decode(), page).found
        if forms:
            self._send(self.worker, "worker", self.random.choice(forms))

    def _agree(self, start: str) -> None:
        from annotation.crowd.forms.pages import ConsentForm

        version = ConsentForm(self.study).digest
        body, kind = _multipart([("agree", "on"), ("version", version)], [], "")
        self.ask(
            self.worker,
            "worker",
            "POST",
            f"{start}start/",
            data=body,
            content_type=kind,
        )

    def _seat(self) -> str:
        from annotation.models import Seat

        seat = Seat.objects.filter(survey__study=self.study).last()
        return seat.get_absolute_url() if seat else self.study.get_worker_url()

    def _raw(self) -> None:
        """A body that is no form, or one in another encoding."""
        path = self.random.choice(self.pages)
        charset = self.random.choice(CHARSETS)
        kind = self.random.choice(BODIES)
        body = self.random.choice((*FILES, b"a=%00&b=%ED%A0%80", b"a=1&" * 2000))
        client = self.random.choice((self.researcher, self.worker))
        cookie = self._hostile()[:32].encode("latin-1", "ignore").decode("latin-1")
        client.cookies["csrftoken"] = cookie or "x"  # a server passes on Latin-1 only
        client.handler.enforce_csrf_checks = self.random.random() < 0.5
        content_type = f"{kind}; charset={charset}"
        self.ask(client, "raw", "POST", path, data=body, content_type=content_type)
        client.handler.enforce_csrf_checks = False

    # Values ---------------------------------------------------------------------------

    def _hostile(self) -> str:
        return self.random.choice(HOSTILE)

    def _value(self, offered: list[str]) -> str:
        if offered and self.random.random() < 0.6:
            return self.random.choice(offered)
        return self._hostile()

    def _filled(self, route: str) -> str:
        """The address with what the study has; "" where it has nothing of the kind."""
        from scoring import analyses

        study, corpus = self.study, self.study.corpora.first()
        known = {
            **{"name": study.name, "study_id": study.public_id, "format": "csv"},
            **{"analysis": self.random.choice(analyses.names()), "metric": "length"},
            **{
                "pk": study.runs.latest("pk").pk,
                "corpus": corpus.name,
                "kind": "texts",
            },
            **{"key": study.generations.latest("pk").key, "number": 1, "survey": 1},
        }
        names = re.findall(r"<\w+:(\w+)>", route)
        if not set(names) <= set(known):
            return ""
        return "/" + re.sub(r"<\w+:(\w+)>", lambda found: str(known[found[1]]), route)


WORDS = tuple(
    "page back sort metric model options number about then visible comment state text"
    " limit from key rule preview reason words agree version token file seen".split()
)
ENDS = ("", "", "", "; charset=utf-8", "; charset=utf-16", "; charset=rot13")
BODIES = (
    *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"),
    *("multipart/form-data", "application/json", "text/plain", "a/b"),
)


def _multipart(
    fields: list[tuple[str, str]], files: list[tuple[str, bytes]], end: str
) -> tuple[bytes, str]:
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode()
        + value.encode(errors="replace")
        for name, value in fields
    ]
    parts += [
        f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="a.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n".encode()
        + content
        for name, content in files
    ]
    body = b"\r\n".join([*parts, b"--x--\r\n"])
    return body, f"multipart/form-data; boundary=x{end}"


def _routes(resolver: Any = None, before: str = "") -> list[str]:
    from django.urls import URLPattern, get_resolver

    found = []
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if route.startswith(("admin/", "api/", "logout/")):
            continue
        inner = [route] if isinstance(pattern, URLPattern) else _routes(pattern, route)
        found += inner
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    logging.disable(logging.WARNING)  # each refusal writes a line
    parser.add_argument("--requests", type=int, default=10_000)
    options = parser.parse_args()
    fuzz = Fuzz(options.seed)
    with tempfile.TemporaryDirectory(prefix="evalapp-fuzz-") as folder:
        fuzz_site.set_up(folder)
        began, rounds = time.monotonic(), 0
        with contextlib.suppress(KeyboardInterrupt):  # and say what was found so far
            while (n := fuzz.asked.total()) < options.requests:
                if n >= rounds * ROUND:
                    fuzz.begin()
                    rounds += 1
                fuzz.step()
        took = time.monotonic() - began
    print(f"seed {options.seed}: {fuzz.asked.total():,} requests in {took:.0f} s")
    print(dict(fuzz.asked), dict(sorted(fuzz.statuses.items())))
    print(f"slowest: {fuzz.slowest[0]:.2f} s of the processor, {fuzz.slowest[1]}")
    print(
        f"500 or above {MOST_SECONDS:g} s: {len(fuzz.faults)}", *fuzz.faults, sep="\n"
    )
    return 1 if fuzz.faults else 0


if __name__ == "__main__":
    sys.exit(main())
