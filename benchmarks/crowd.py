"""People who rate, or correct, over HTTP as a browser would, for `coverage.py`."""

from __future__ import annotations

import argparse
import http.client
import random
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urlencode

from crowd_marks import MarkedTexts, Place, damage_of

LEAVING, CARELESS = 0.20, 0.15  # shares of the workers
DOUBLE_CLICK, BACK, AUTOSAVE = 0.2, 0.2, 0.5  # chances
LEASE_MINUTES = 1
TWO_PAGES = "double clicks that led to two pages"
FORM = "application/x-www-form-urlencoded"


# A browser ----------------------------------------------------------------------------


class Answer(NamedTuple):
    status: int
    location: str
    body: str


class Damaged(NamedTuple):
    """The hidden check of a page."""

    at: int  # its position
    left: bool | None  # of a pair, whether the damaged text is on the left
    places: list[Place]  # where errors are marked: what of the text is damaged


class Form(HTMLParser):
    """The form of a page that posts to some address: hidden fields, radios, texts."""

    def __init__(self, body: str, ending: str) -> None:
        super().__init__()
        self.ending, self.action = ending, ""
        self.hidden: dict[str, str] = {}
        self.radios: dict[str, list[str]] = defaultdict(list)
        self.texts: dict[str, str] = {}  # that are to be corrected
        self._inside, self._text = False, ""
        self.feed(body)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form" and has.get("action", "").endswith(self.ending):
            self._inside, self.action = True, has["action"]
        if tag == "textarea" and has.get("name", "").startswith("e-"):
            self._text = has["name"]
            self.texts[self._text] = ""
        if tag != "input" or not self._inside or "name" not in has:
            return
        if has.get("type") == "hidden":
            self.hidden[has["name"]] = has.get("value", "")
        if has.get("type") == "radio":
            self.radios[has["name"]].append(has["value"])

    def handle_data(self, data: str) -> None:
        if self._text:
            self.texts[self._text] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        if tag == "textarea" and self._text:  # a browser drops the first line end
            self.texts[self._text] = self.texts[self._text].removeprefix("\n")
            self._text = ""


class Browser:
    """One person's: keeps cookies, and asks again where the connection breaks."""

    def __init__(self, crowd: Crowd, address: str) -> None:
        self.crowd = crowd
        self.address = address
        self.cookies: dict[str, str] = {}

    def get(self, kind: str, path: str) -> Answer:
        return self.ask(kind, "GET", path)

    def post(self, kind: str, path: str, data: dict[str, str]) -> Answer:
        return self.ask(kind, "POST", path, urlencode(data))

    def ask(self, kind: str, method: str, path: str, data: str | None = None) -> Answer:
        while True:
            began = time.perf_counter()
            try:
                answer = self._once(method, path, data)
            except (OSError, http.client.HTTPException):
                self.crowd.count(f"{kind} broken off")
                if self.crowd.over.is_set():
                    raise
                time.sleep(0.3)
                continue
            self.crowd.count(f"{kind} {answer.status}")
            self.crowd.seconds[kind].append(time.perf_counter() - began)
            return answer

    def _once(self, method: str, path: str, data: str | None) -> Answer:
        headers = self.headers()
        if data is not None:
            headers["Content-Type"] = FORM
        line = self.line()
        try:
            line.request(method, path, data, headers)
            got = line.getresponse()
            body = got.read().decode()
        finally:
            line.close()
        for cookie in got.headers.get_all("Set-Cookie") or ():
            name, _, rest = cookie.partition("=")
            self.cookies[name] = rest.partition(";")[0]
        return Answer(got.status, got.headers.get("Location", ""), body)

    def headers(self) -> dict[str, str]:
        jar = "; ".join(f"{name}={value}" for name, value in list(self.cookies.items()))
        told = {"Cookie": jar, "Connection": "close"}
        return {**told, "X-Forwarded-For": self.address}

    def line(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.crowd.port, timeout=120)

    def twice(self, work: Callable[[], Answer]) -> Answer:
        """A double click: both at once, and both must lead to the same page."""
        with ThreadPoolExecutor(1) as other:
            again = other.submit(work)
            first = work()
            # Nothing may have been left for the first, and something for the second.
            places = seats_in(first.location) + seats_in(again.result().location)
            if len(set(places)) > 1:
                self.crowd.count(TWO_PAGES)
        return first


# The crowd ----------------------------------------------------------------------------


@dataclass
class Crowd:
    """What all workers share. Counters and lists are only ever added to."""

    study: Any
    asked: argparse.Namespace
    wanted: int  # pages
    port: int = 0
    n: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    # What the site said it has: (seat, field of the form) -> value.
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    # One connection for all, which may ask what no worker can see.
    oracle: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def __post_init__(self) -> None:
        self.start = threading.Barrier(self.asked.workers)
        self.link = self.study.get_worker_url()

    def count(self, what: str) -> None:
        with self.lock:
            self.n[what] += 1

    def watch(self, kill: Callable[[], int] | None) -> None:
        """Wait until the study is covered, and kill a web process halfway."""
        wanted = self.wanted
        began = time.monotonic()
        end = began + self.asked.seconds
        while (n := self.oracle.submit(self.n_valid).result()) < wanted:
            if kill and n >= wanted / 2:
                print(f"killed process {kill()} at {n} of {wanted} pages", flush=True)
                kill = None
            if time.monotonic() > end:
                print(f"gave up at {n} of {wanted} valid pages")
                break
            time.sleep(0.5)
        print(f"{n} of {wanted} pages after {time.monotonic() - began:.0f} s")
        self.over.set()

    def n_valid(self) -> int:
        from annotation.models import Seat

        return Seat.objects.filter(survey__study=self.study, state="valid").count()

    def negative_at(self, seat: str) -> Damaged:
        """Where the damaged text is on a page."""
        from annotation.models import Item, Seat

        rows = Seat.objects.values_list("order", "flipped", "survey__kind")
        order, flipped, kind = rows.get(public_id=seat)
        hidden = Item.objects.get(pk__in=order, negative__isnull=False)
        at = order.index(hidden.pk) + 1
        left = hidden.pk in flipped if kind == "pair" else None
        return Damaged(at, left, damage_of(hidden.negative) if kind == "spans" else [])

    # One worker

    def work(self, number: int) -> None:
        rng = random.Random(self.asked.seed * 100_003 + number)
        share = number / self.asked.workers
        leaving, careless = share < LEAVING, share > 1 - CARELESS
        browser = Browser(self, f"198.18.{number // 256}.{number % 256}")
        self.start.wait(60)
        browser.get("welcome", f"{self.link}?worker=person-{number}")
        while not self.over.is_set():
            path = self.sit_down(browser, rng)
            if path is None:
                self.over.wait(rng.uniform(2, 4))
            elif leaving:
                return self.leave(browser, path, rng, comes_back=number % 2 == 0)
            else:
                self.rate(browser, path, rng, careless)

    def sit_down(self, browser: Browser, rng: random.Random) -> str | None:
        """Agree and start; the address of the page, if there is one."""
        page = browser.get("welcome", self.link)
        form = Form(page.body, "/start/")
        if not form.action:
            return None
        sent = {**form.hidden, "agree": "on"}

        def start() -> Answer:
            return browser.post("start", form.action, sent)

        answer = browser.twice(start) if rng.random() < DOUBLE_CLICK else start()
        return answer.location if "/seat/" in answer.location else None

    def rate(
        self, browser: Browser, path: str, rng: random.Random, careless: bool
    ) -> None:
        page = browser.get("page", path).body
        form = Form(page, "/submit/")
        if not form.action:  # the other tab has handed it in
            return
        answers = self.answers(path, page, rng, careless)
        for part in saved_together(answers):
            if rng.random() < AUTOSAVE:
                self.save(browser, path, form, part)
        self.submit(browser, path, form, answers, rng)

    def leave(
        self, browser: Browser, path: str, rng: random.Random, comes_back: bool
    ) -> None:
        """Go after a few answers; some come back, and finish when it is too late."""
        page = browser.get("page", path).body
        form = Form(page, "/submit/")
        answers = self.answers(path, page, rng, careless=False)
        for part in saved_together(answers)[: rng.randint(1, 4)]:
            self.save(browser, path, form, part)
        self.count("left")
        if comes_back:
            time.sleep(LEASE_MINUTES * 60 + rng.uniform(1, 10))
            self.count("came back")
            self.submit(browser, path, form, answers, rng)

    def answers(
        self, path: str, page: str, rng: random.Random, careless: bool
    ) -> dict[str, str]:
        """The damaged text stands above all others, or below; or above its twin."""
        form, marked = Form(page, "/submit/"), MarkedTexts(page)
        asked = self.oracle.submit(self.negative_at, seats_in(path)[0])
        at, left, places = asked.result()
        if form.texts:
            return corrected(form.texts, at, rng, careless)
        if left is None:
            damaged, real = ("5", "1234") if careless else ("1", "2345")
        else:  # of two texts: 2, the left one is better, 3, no difference, or 4
            damaged, real = ("2" if left == careless else "4"), "234"
        scored = {
            name: damaged if name.startswith(f"a-{at}-") else rng.choice(real)
            for name in form.radios
        }
        return {**scored, **marked.answers(at, places, rng, careless)}

    def save(
        self, browser: Browser, path: str, form: Form, part: dict[str, str]
    ) -> None:
        sent = {"csrfmiddlewaretoken": form.hidden["csrfmiddlewaretoken"], **part}
        answer = browser.post("answer", f"{path}answer/", sent)
        if answer.status == 204:
            self.acknowledge(path, part)

    def submit(
        self,
        browser: Browser,
        path: str,
        form: Form,
        answers: dict[str, str],
        rng: random.Random,
    ) -> None:
        # "stop": what comes next is asked for apart, so that it is counted apart.
        sent = {**form.hidden, **answers, "then": "stop"}

        def click() -> Answer:
            return browser.post("submit", form.action, sent)

        answer = browser.twice(click) if rng.random() < DOUBLE_CLICK else click()
        if answer.status == 302:
            self.acknowledge(path, answers)
        if rng.random() < BACK:
            changed = {name: other(value) for name, value in answers.items()}
            browser.post("back", form.action, {**sent, **changed})

    def acknowledge(self, path: str, answers: dict[str, str]) -> None:
        for name, value in answers.items():
            self.acknowledged[seats_in(path)[0], name] = value


def corrected(
    texts: dict[str, str], at: int, rng: random.Random, careless: bool
) -> dict[str, str]:
    """Each text with its tick: the damaged one repaired, or said to be right."""
    found = {}
    for name, text in texts.items():
        position = int(name.removeprefix("e-"))
        ticked = careless if position == at else rng.random() < 0.5
        found[name] = text if ticked else f"{text} It  was\n\n{rng.randrange(10**6)}."
        found[f"u-{position}"] = "1" if ticked else "0"
    return found


def saved_together(answers: dict[str, str]) -> list[dict[str, str]]:
    """What a page sends at once: an answer, or a text with its tick."""
    parts: dict[str, dict[str, str]] = defaultdict(dict)
    for name, value in answers.items():
        about = re.sub(r"^(e|u|marks|clean)-", "", name)
        parts[about][name] = value
    return list(parts.values())


def other(value: str) -> str:
    if value.startswith("["):
        return "[]"
    return str(6 - int(value)) if value.isdigit() else f"{value} Other."


def seats_in(address: str) -> list[str]:
    return re.findall(r"/seat/([0-9a-f-]{36})/", address)
