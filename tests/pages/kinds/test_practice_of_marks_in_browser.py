"""Practice of marked errors in a real browser, on a phone and for its researcher."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation import surveys
from annotation.crowd import practice
from annotation.crowd.practice import Text
from annotation.kinds.spans import scheme, schemes
from annotation.kinds.spans.answers import MARKED
from annotation.models import PracticeTry
from tests.pages.browsing import faults, log_in

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "The gulls left at seven, and the bread came back."
PLACE = {"side": "text", "category": "accuracy", "severity": "major"}
EXPECTED = [
    {**PLACE, "start": 4, "end": 9, "words": "gulls"},
    {**PLACE, "start": 33, "end": 38, "words": "bread"},
]


@pytest.fixture
def draft(make_study):
    study = make_study(page_kinds=["spans"])
    schemes.keep(study, scheme.MQM, "mqm")
    return study


@pytest.fixture
def study(draft):
    practice.define(
        study=draft,
        prefix="",
        source="Die Fähre fuhr um sieben, und das Boot kam zurück.",
        label="",
        attempts=2,
        texts=[Text(WORDS, {MARKED: EXPECTED}, "Gulls did not leave. The boat did.")],
    )
    surveys.open_study(study=draft)
    return draft


def mark_second_word(page: Page) -> None:
    """From the list, which works with a script and without."""
    page.get_by_text("Choose words from a list").first.click()
    box = page.locator("details.by-list").first
    box.get_by_label("First word").select_option("2")
    box.get_by_label("Error").select_option("accuracy")
    box.get_by_label("Severity").select_option("minor")
    box.get_by_role("button", name="Add this mark").click()
    expect(page.locator("ol.marks li .quote").first).to_have_text("gulls")


def test_a_worker_marks_reads_what_was_missed_and_passes(page, live_server, study):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(live_server.url + study.get_worker_url())
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    expect(page.locator(".tools").first).to_be_visible()
    mark_second_word(page)
    for radio in page.get_by_role("radio", name="3").all():
        radio.check()
    assert faults(page) == []
    page.get_by_role("button", name="Check my answers").click()
    expect(page.get_by_text("You missed this.")).to_be_visible()
    assert faults(page) == []
    assert not PracticeTry.objects.get().passed
    assert page.problems == []


def test_a_researcher_marks_what_is_expected(page, live_server, alice, draft):
    log_in(page, live_server.url)
    page.goto(f"{live_server.url}/studies/ferry/practice/")
    page.locator("[name=texts-0-text]").fill(WORDS)
    page.get_by_role("button", name="Show the texts to mark them").click()
    expect(page.locator(".tools").first).to_be_visible()
    mark_second_word(page)
    page.get_by_role("button", name="Save practice page").click()
    expect(page.get_by_text("Practice page saved.")).to_be_visible()
    (mark,) = draft.practice.texts.get().expected[MARKED]
    assert (mark["words"], mark["category"]) == ("gulls", "accuracy")
    assert faults(page) == []


def test_a_researcher_marks_by_mouse(page, live_server, alice, draft):
    log_in(page, live_server.url)
    page.goto(f"{live_server.url}/studies/ferry/practice/")
    page.locator("[name=texts-0-text]").fill(WORDS)
    page.get_by_role("button", name="Show the texts to mark them").click()
    expect(page.locator(".tools").first).to_be_visible()
    # A double click selects the word below the mouse.
    page.locator("[data-side=text]").first.dblclick(position={"x": 50, "y": 12})
    expect(page.locator("dialog[open]")).to_be_visible()
