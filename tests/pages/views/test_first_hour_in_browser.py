"""A newcomer's first hour: from dropping a file to reading the answer, click by click.

    python -m pytest tests/pages/views/test_first_hour_in_browser.py -n 0 -s

prints how many clicks and seconds each took: see benchmarks/first_hour.md.
"""

from __future__ import annotations

import os
import re
import time

import numpy as np
import pytest
from celery import current_app
from playwright.sync_api import Locator, Page

from annotation import simulation
from annotation.models import Study
from scoring import metrics
from tests.annotation.imports import given
from tests.pages.browsing import log_in
from tests.pages.views.test_import_in_browser import DROP
from tests.support import shared

pytestmark = pytest.mark.django_db(transaction=True)

CHEAP = ("length", "distinct", "repetition", "perplexity", "bleu", "rouge")
PLACES = (
    *("lake", "forest", "harbour", "mountain", "market", "station"),
    *("garden", "bridge", "island", "museum", "castle", "desert"),
)
ENDINGS = (
    "It was cold. We left early. The road home was long, and nobody spoke of it again.",
    "It was it was it was.",
    "A heron stood there. We watched it for an hour, until it flew over the hills.",
    "Nice of the of. Of it nice was, is a.",
)
OUTPUTS = [
    (
        n,
        ("gpt", "t5")[n % 2],
        f"Write about the {PLACES[n // 2]}.",
        f"I saw the {PLACES[n // 2]} once. The {n} of us came. {ENDINGS[n % 4]}",
    )
    for n in range(2 * len(PLACES))
]
COLUMNS = ("id", "model", "prompt", "output")
EXCEL = given.excel(COLUMNS, *OUTPUTS)
LINES = [dict(zip(COLUMNS, row, strict=True)) for row in OUTPUTS]
BROKEN = given.jsonl(*LINES[:6], '{"id": 99, "output": "Unfinished', *LINES[6:])


# Whatever it says: that there is nothing to say yet is no answer.
ANSWER = r"(?!No metric|Nobody|No prompt|Only ).* (on|about) {}\b"


class Newcomer:
    """Counts what she presses and chooses, and reads every page that she comes to."""

    def __init__(self, page: Page, sent: list[tuple[str, int]]) -> None:
        self.page, self._sent = page, sent
        self.clicks, self._began = 0, 0.0

    def drop(self, name: str, content: bytes) -> None:
        self._began = time.monotonic()
        self.page.evaluate(DROP, [name, list(content)])
        self.clicks += 1
        self.page.wait_for_url("**/uploads/**")
        self.look()

    def press(self, name: str, role: str = "button") -> None:
        found = self.page.get_by_role(role, name=re.compile(name)).first
        found.click()
        self.clicks += 1
        self.page.wait_for_load_state("load")
        self.look()

    def look(self) -> None:
        """No page shows an error without saying what to do about it."""
        if folder := os.environ.get("SHOTS"):
            self.shot(folder)
        assert not re.search(r"Server Error|Page not found", self.page.title())
        for alert in self.page.locator("[role=alert]:visible").all():
            assert self.says_what_to_do(alert), alert.inner_text()

    def shot(self, folder: str) -> None:
        name = f"{folder}/{self.clicks:02}-{len(os.listdir(folder)):03}.png"
        self.page.screenshot(path=name, full_page=True)

    @staticmethod
    def says_what_to_do(alert: Locator) -> bool:
        """A remedy in words, or a button or link beside it."""
        remedy = r"\b(correct|choose|leave|add|write|open|save|try|change|import)\b"
        return bool(
            re.search(remedy, alert.inner_text(), re.I)
            or alert.locator("a, button").count()
        )

    def work(self) -> None:
        """Let the worker of the queue do what waits, and what that brings about."""
        for _ in range(500):
            if not self._sent:
                return
            task, pk = self._sent.pop(0)
            current_app.tasks[task].apply(args=[pk], throw=True)
        raise AssertionError("the queue does not end")

    def read_the_answer(self) -> str:
        self.work()
        self.page.reload()
        self.work()
        card = self.page.locator(".card.answer").first
        card.wait_for()
        self.look()
        seconds = time.monotonic() - self._began
        print(f"\n{self.clicks} clicks, {seconds:.0f} seconds")
        said = card.locator(".lead").inner_text()
        self.page.goto("about:blank")  # the page asks for news, the test is over
        return said


@pytest.fixture
def newcomer(page, live_server, alice, settings, tmp_path, monkeypatch) -> Newcomer:
    settings.DATA_DIR = tmp_path
    current_app.loader.import_default_modules()  # as a worker does
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(
        "evalapp.work.dispatch.send", lambda task, pk, queue: sent.append((task, pk))
    )
    monkeypatch.setattr(metrics, "names", lambda: sorted(CHEAP))
    log_in(page, live_server.url)
    page.goto(f"{page.base}/studies/new/")
    return Newcomer(page, sent)


def rated() -> None:
    """By simulated people, through the functions that serve real ones."""
    rng = np.random.default_rng(1)
    simulation.simulate(study=Study.objects.get(), workers=20, rng=rng)


def score_and_read(newcomer: Newcomer) -> str:
    newcomer.press("^Score .* ticked metrics")
    newcomer.work()
    newcomer.press("^See the results", "link")
    return newcomer.read_the_answer()


def open_and_rate(newcomer: Newcomer) -> None:
    newcomer.press("^Set up study", "link")
    newcomer.press("^Open study", "link")
    newcomer.press("^Open study")
    newcomer.work()
    rated()
    newcomer.page.reload()
    newcomer.look()
    newcomer.press("^(Run|Choose) metrics|^Metrics", "link")


def hanna_is_answered(newcomer: Newcomer, content: bytes) -> None:
    newcomer.drop("hanna_stories_annotations.csv", content)
    newcomer.press("^Import .* texts")
    newcomer.press("^(Run|Choose) metrics", "link")
    said = score_and_read(newcomer)
    assert re.match(ANSWER.format("relevance"), said), said
    assert newcomer.clicks <= 5
    assert newcomer.page.problems == []


def test_hanna_as_it_is(newcomer):
    file = shared.path("data/hanna/hanna_stories_annotations.csv")
    hanna_is_answered(newcomer, file.read_bytes())


def test_a_file_of_the_shape_of_hanna(newcomer):
    hanna_is_answered(newcomer, given.hanna(24, prompts=12))


def test_an_excel_file_with_columns_of_its_own(newcomer):
    newcomer.drop("outputs.xlsx", EXCEL)
    newcomer.press("^Import 24 texts")
    open_and_rate(newcomer)
    said = score_and_read(newcomer)
    assert re.match(ANSWER.format("coherence"), said), said
    assert newcomer.clicks <= 8
    assert newcomer.page.problems == []


@pytest.mark.path
@pytest.mark.slow
def test_lines_with_a_broken_one(newcomer):
    newcomer.drop("outputs.jsonl", BROKEN)
    newcomer.press("^Leave out 1 line and import 24 texts")
    open_and_rate(newcomer)
    said = score_and_read(newcomer)
    assert re.match(ANSWER.format("coherence"), said), said
    assert newcomer.clicks <= 8
    assert newcomer.page.problems == []
