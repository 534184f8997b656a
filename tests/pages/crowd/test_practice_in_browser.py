from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.crowd import practice
from annotation.crowd.practice import Text
from annotation.models import PracticeTry, Study
from tests.pages.rating import rate

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def practice_page(page, live_server, study):
    Study.objects.update(state=Study.State.DRAFT)
    text = Text("The ferry left. It came back.", {"coherence": (4, 5)}, "It is whole.")
    practice.define(study=study, prefix="", label="", attempts=2, texts=[text])
    Study.objects.update(state=Study.State.OPEN)
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Practice")
    return page


@pytest.mark.path
def test_checked_without_a_network_it_waits_and_keeps_the_answers(practice_page):
    page = practice_page
    for row in page.locator("fieldset").all():
        rate(row, 5)
    page.context.set_offline(True)
    page.get_by_role("button", name="Check my answers").click()
    expect(page.get_by_text("Not sent yet. Trying again")).to_be_visible()
    expect(page.locator("input:checked")).to_have_count(3)
    page.context.set_offline(False)
    expect(page.get_by_text("You passed the practice page.")).to_be_visible()
    assert PracticeTry.objects.get().passed


def test_what_is_missing_is_named_here_too(practice_page):
    page = practice_page
    rate(page.locator("fieldset").first, 5)
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#missing")).to_contain_text("Answers missing: 2")
    expect(page.locator("input:checked")).to_have_count(1)
