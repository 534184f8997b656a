"""The answer in a real browser: loaded by itself, drawn, accessible, narrow, dark."""

from __future__ import annotations

import pytest

from tests.pages.browsing import faults, log_in, overflow_once_drawn
from tests.pages.results.test_answer import study as study  # the fixture
from tests.scoring import analysed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(page, live_server, alice, nobody_is_woken):
    return log_in(page, live_server.url)


@pytest.mark.path
def test_overview_shows_the_answer_once_a_worker_has_it(page, study):
    page.goto(f"{page.base}/studies/ferry/")
    page.get_by_text("No background process for this is running").wait_for()
    analysed.work(study)
    page.get_by_text("every simple guess on coherence").first.wait_for()
    assert faults(page) == []
    assert page.problems == []


def test_results_show_it_drawn_and_with_its_rules(page, study):
    analysed.computed(study, "answer")
    analysed.overview_of(study)
    page.goto(f"{page.base}/studies/ferry/results/")
    page.locator("#answer-coherence").wait_for()
    page.locator(".answer svg.main-svg").first.wait_for(state="attached")
    page.get_by_text("How was this decided?").click()
    page.get_by_text("Simple guesses ignore a text's quality").wait_for()
    assert faults(page) == []
    assert overflow_once_drawn(page) <= 0
    assert page.problems == []
