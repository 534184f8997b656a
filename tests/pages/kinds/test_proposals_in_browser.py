"""A worker keeps, changes and deletes proposed marks in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation import surveys
from annotation.kinds.spans import scheme, schemes
from annotation.kinds.spans.models import DroppedProposal, SpanMark
from annotation.kinds.spans.proposals import MarkProposals
from tests.pages.browsing import faults
from tests.pages.rating import assert_saved

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "One two three four five six."
PROPOSED = [
    [4, 7, "", "minor", "text", "two"],
    [8, 13, "", "minor", "text", "three"],
    [14, 18, "", "major", "text", "four"],
]


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, systems=("a",), page_kinds=["spans"])
    study.generations.update(text=WORDS)
    study.damaged_texts = "none"
    study.save()
    schemes.keep(study, scheme.ESA, "esa")
    texts = dict.fromkeys(study.generations.values_list("pk", flat=True), PROPOSED)
    MarkProposals().propose(study=study, metric="xCOMET", marks=texts)
    surveys.open_study(study=study)
    return study


def test_what_a_worker_does_with_each_is_saved(page, live_server, study):
    page.goto(live_server.url + study.get_worker_url())
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    items = page.locator("fieldset.marking .marks li").filter(visible=True)
    expect(items).to_have_count(3)
    expect(page.locator(".marks .proposed").filter(visible=True)).to_have_count(3)
    items.nth(2).get_by_role("button", name="Remove").click()
    items.nth(1).get_by_role("button", name="Change").click()
    page.locator("dialog[open] [data-severity=major]").click()
    page.locator("dialog[open] [data-do=close]").click()
    assert_saved(page)
    rows = SpanMark.objects.order_by("number").values_list("words", "fate")
    assert list(rows) == [("two", "kept"), ("three", "changed")]
    assert DroppedProposal.objects.get().words == "four"
    assert faults(page) == []
    assert page.problems == []
