"""People who rate through nginx, and wait out what a page waits out."""

from __future__ import annotations

import http.client
import random
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from crowd import Answer, Browser, Crowd, Form, saved_together

CARELESS, LEAVING = 0.10, 0.10  # shares of the raters
DOUBLE_CLICK, BACK, AUTOSAVE = 0.2, 0.2, 0.5  # chances
ANSWERS = 15  # about as many on each page
POLL_SECONDS = (10, 20)  # of who finds nothing to rate
LONGEST_WAIT = 15.0  # seconds between two tries, as in sending.js
AWAY = (502, 503, 504)

T = TypeVar("T")
_tls = ssl.create_default_context()
_tls.check_hostname, _tls.verify_mode = False, ssl.CERT_NONE  # our own certificate


def patient(ask: Callable[[], T]) -> T:
    """What the database says, as soon as it is there."""
    from django.db import InterfaceError, OperationalError, connection

    while True:
        try:
            return ask()
        except (OperationalError, InterfaceError):
            connection.close()
            time.sleep(1)


@dataclass(frozen=True)
class Trouble:
    """A request that the page had to send again, or that went wrong."""

    began: float
    ended: float
    kind: str
    status: int  # 0: no answer at all


@dataclass
class People(Crowd):
    """What all raters share."""

    think: float = 1.0  # seconds between two answers, on average
    troubles: list[Trouble] = field(default_factory=list)

    def negative_at(self, seat: str) -> Any:
        return patient(lambda: super(People, self).negative_at(seat))

    def n_valid(self) -> int:
        return patient(super().n_valid)

    def work(self, number: int) -> None:
        rng = random.Random(self.asked.seed * 100_003 + number)
        share = number / self.asked.workers
        leaving, careless = share < LEAVING, share > 1 - CARELESS
        browser = Patient(self, f"127.1.{number // 250}.{1 + number % 250}")
        self.over.wait(rng.uniform(0, 4 * self.think))
        browser.get("welcome", f"{self.link}?worker=person-{number}")
        while not self.over.is_set():
            path = self.sit_down(browser, rng)
            if path is None:
                self.over.wait(rng.uniform(*POLL_SECONDS))
                continue
            self.rate(browser, path, rng, careless)
            if leaving and rng.random() < 0.5:
                return

    def rate(
        self, browser: Browser, path: str, rng: random.Random, careless: bool
    ) -> None:
        form = Form(browser.get("page", path).body, "/submit/")
        if not form.action:
            return
        answers = self.answers(path, form, rng, careless)
        leaves = rng.random() < LEAVING
        for part in saved_together(answers):
            self.over.wait(rng.expovariate(1 / self.think))
            if rng.random() < AUTOSAVE:
                self.save(browser, path, form, part)
            if leaves and rng.random() < 0.2:
                self.count("left in the middle of a page")
                return
        self.submit(browser, path, form, answers, rng)

    def to_be_blamed(self, answer: Answer) -> None:
        """What no page should answer to such requests."""
        if answer.status == 302 and "check" in answer.location:
            self.count("submitted, and told that answers are missing")


class Patient(Browser):
    """Sends a request again until it is answered, as the pages' scripts do."""

    crowd: People

    def ask(self, kind: str, method: str, path: str, data: str | None = None) -> Answer:
        for tries in range(1000):
            began = time.monotonic()
            try:
                answer = self._once(method, path, data)
            except (OSError, http.client.HTTPException):
                answer = Answer(0, "", "")
            ended = time.monotonic()
            self.crowd.count(f"{kind} {answer.status}")
            if answer.status and answer.status < 500 and answer.status != 429:
                self.crowd.seconds[kind].append(ended - began)
                self.crowd.to_be_blamed(answer)
                return answer
            self.crowd.troubles.append(Trouble(began, ended, kind, answer.status))
            time.sleep(min(2.0**tries, LONGEST_WAIT))
        raise SystemExit(f"{kind} was never answered")

    def line(self) -> http.client.HTTPConnection:
        return http.client.HTTPSConnection(
            "127.0.0.1",
            self.crowd.port,
            timeout=130,
            source_address=(self.address, 0),
            context=_tls,
        )

    def headers(self) -> dict[str, str]:
        return {**super().headers(), "Origin": f"https://127.0.0.1:{self.crowd.port}"}


def together(people: People) -> tuple[ThreadPoolExecutor, list[Any]]:
    pool = ThreadPoolExecutor(people.asked.workers)
    return pool, [pool.submit(people.work, n) for n in range(people.asked.workers)]
