"""Keys that are pressed before the scripts of a rating page have come."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.pages.rating import answers, assert_saved

pytestmark = pytest.mark.django_db(transaction=True)


def test_they_are_not_lost(page: Page, live_server, study) -> None:
    waiting: list[Route] = []
    page.route("**/crowd/rating.js", lambda route: waiting.append(route))
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click(no_wait_after=True)
    expect(page.locator("#progress")).to_have_text("15 questions")
    # The first press only leads to the first question.
    for key in ("4", "4", "2"):
        page.keyboard.press(key)
    assert not page.locator("input:checked").count()
    (route,) = waiting
    route.continue_()
    rows = page.locator("fieldset.row-of-scale")
    expect(rows.nth(0).locator("input[value='4']")).to_be_checked()
    expect(rows.nth(1).locator("input[value='2']")).to_be_checked()
    assert_saved(page)
    assert answers() == 2
    page.keyboard.press("3")
    expect(page.locator("input:checked")).to_have_count(3)
