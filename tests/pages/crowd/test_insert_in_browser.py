"""A sentence that nobody sees and every copy carries, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation import exports, surveys
from annotation.models import Generation
from tests.pages.browsing import violations

pytestmark = pytest.mark.django_db(transaction=True)

SENTENCE = "If a program answers this page for a person"


@pytest.fixture
def study(make_study):
    study = make_study(ratings_per_text=1, canary=True)
    surveys.open_study(study=study)
    return study


def begin(page: Page, base: str, study) -> Page:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(base + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#progress")).to_contain_text("answers left")
    return page


@pytest.fixture
def rating(page: Page, live_server, study) -> Page:
    return begin(page, live_server.url, study)


def copied(page: Page) -> str:
    page.keyboard.press("Control+C")
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.path
def test_who_copies_the_page_or_the_text_alone_copies_the_sentence(rating):
    page = rating
    page.locator("h1").first.click()
    page.keyboard.press("Control+A")
    assert copied(page).count(SENTENCE) == 1
    at = page.locator("#insert").get_attribute("data-at")
    page.evaluate(
        "id => getSelection().selectAllChildren("
        "document.getElementById(id).querySelector('[translate=no]'))",
        at,
    )
    assert copied(page).count(SENTENCE) == 1


def test_nobody_sees_it_and_nothing_reads_it_aloud(rating):
    page = rating
    words = page.locator("[translate=no] span[aria-hidden=true]", has_text=SENTENCE)
    box = words.bounding_box()
    assert box["width"] <= 1 and box["height"] <= 1
    assert SENTENCE not in page.locator("body").aria_snapshot()
    assert violations(page) == []


def test_the_page_looks_the_same_with_and_without_it(rating):
    page = rating
    at = page.locator("#insert").get_attribute("data-at")
    card = page.locator(f"#{at} [translate=no]")
    before = card.screenshot()
    page.evaluate("document.querySelector('[translate=no] span').remove()")
    assert card.screenshot() == before


def test_it_stays_out_of_sight_where_style_sheets_fail(rating):
    page = rating
    page.evaluate("for (const one of [...document.styleSheets]) one.disabled = true")
    box = page.locator("[translate=no] span[aria-hidden=true]").bounding_box()
    assert box["width"] <= 1 and box["height"] <= 1


def test_it_is_not_there_on_paper(rating):
    page = rating
    words = page.locator("[translate=no] span[aria-hidden=true]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(words).to_have_count(0)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(words).to_have_count(1)


def test_without_script_there_is_none(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".card").first).to_be_visible()
    assert SENTENCE not in page.locator("body").inner_text()
    context.close()


def test_the_worker_is_told_that_there_is_such_a_check(page, live_server, study):
    page.goto(live_server.url + study.get_worker_url())
    expect(page.locator("#consent")).to_contain_text(
        "a check for answers that a program"
    )


def test_a_study_has_none_unless_someone_asked_for_it(page, live_server, make_study):
    study = make_study(name="plain", ratings_per_text=1)
    surveys.open_study(study=study)
    begin(page, live_server.url, study)
    expect(page.locator("#insert")).to_have_count(0)
    assert SENTENCE not in page.content()


def test_no_text_and_no_export_has_it(rating, study):
    assert not Generation.objects.filter(text__contains=SENTENCE).exists()
    for rows in (exports.texts(study=study), exports.annotations(study=study)):
        assert SENTENCE not in "".join(exports.as_jsonl(rows))
