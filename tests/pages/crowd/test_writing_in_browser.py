"""How words of a worker's own came about, as a real browser counts it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation import surveys
from annotation.models import Seat
from annotation.seats import writing
from annotation.seats.writing import Writing
from tests.pages.rating import assert_saved

pytestmark = pytest.mark.django_db(transaction=True)

FROM_ELSEWHERE = "These sentences were written by something else."


@pytest.fixture
def page_with_comment(worker_page) -> Page:
    worker_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    worker_page.locator("#comment-box summary").click()
    with worker_page.expect_response("**/writing*.js"):  # comes with the first focus
        worker_page.locator("#comment").focus()
    return worker_page


def paste(page: Page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def counted(page: Page) -> Writing | None:
    assert_saved(page)
    return writing.of(Seat.objects.get())


@pytest.mark.path
def test_what_is_pasted_is_counted_and_not_kept(page_with_comment):
    page = page_with_comment
    paste(page, FROM_ELSEWHERE)
    assert counted(page) == Writing(1, len(FROM_ELSEWHERE), 0)
    field = page.locator('input[name="writing"]')
    expect(field).to_have_value(f"1:{len(FROM_ELSEWHERE)}:0")
    page.reload()
    expect(field).to_have_value(f"1:{len(FROM_ELSEWHERE)}:0")


def test_who_quotes_the_page_or_moves_their_own_words_pastes_nothing(page_with_comment):
    page = page_with_comment
    quoted = page.locator(".card .text, .card [translate=no]").first.inner_text()[:60]
    paste(page, quoted)
    page.keyboard.type(" is odd.")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+X")
    page.keyboard.press("Control+V")
    page.keyboard.type("!")
    assert counted(page) == Writing(0, 0, 0)


def test_leaving_the_page_while_writing_is_counted_and_a_glance_is_not(
    page_with_comment,
):
    page = page_with_comment
    page.clock.install()
    for away in (1_000, 1_000 * (writing.AWAY_SECONDS + 1)):
        page.evaluate("dispatchEvent(new Event('blur'))")
        page.clock.fast_forward(away)
        page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator('input[name="writing"]')).to_have_value("0:0:1")


def test_leaving_the_page_from_a_question_is_not_counted(page_with_comment):
    page = page_with_comment
    page.locator("fieldset input").first.focus()
    page.clock.install()
    page.evaluate("dispatchEvent(new Event('blur'))")
    page.clock.fast_forward(60_000)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator('input[name="writing"]')).to_have_value("0:0:0")


def test_the_worker_agrees_to_it_first(page, live_server, make_study):
    study = make_study(ratings_per_text=1)
    surveys.open_study(study=study)
    page.goto(live_server.url + study.get_worker_url())
    expect(page.locator("#consent")).to_contain_text("counts how often you paste")
    expect(page.locator("#consent")).to_contain_text("keeps only these numbers")
