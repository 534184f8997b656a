"""The frame of the pages in a real browser: on a phone, and by keyboard."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from annotation.models import Event
from tests.pages.browsing import faults, log_in
from tests.support.scored import rate

pytestmark = pytest.mark.django_db(transaction=True)

AT = "/studies/ferry/"
PAGES = ("setup/", "open/", "results/more/", "results/explain/", "results/drift/")


@pytest.fixture
def study(make_study):
    study = make_study()
    rate(study, "coherence", [[4, 5], [3, 3], [1, 2], [5, 5]])
    return study


@pytest.fixture
def page(page, live_server, alice, study):
    return log_in(page, live_server.url)


def test_its_pages_are_accessible_narrow_and_quiet(page):
    found = {}
    for path in PAGES:
        page.goto(f"{page.base}{AT}{path}")
        found[path] = faults(page)
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert page.problems == []


@pytest.mark.parametrize("path", ["results/", "results/drift/", "setup/", "workers/"])
def test_on_a_phone_the_navigation_leaves_the_screen_to_the_page(page, path):
    """It filled 580 of 844 pixels."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{page.base}{AT}{path}")
    top = page.evaluate("() => document.querySelector('main').offsetTop")
    assert top < 150
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_row_without_room_shows_where_the_reader_is(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{page.base}{AT}export/")
    tab = page.locator(".strip.tabs [aria-current=page]")
    assert tab.inner_text() == "Export"
    box = tab.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.path
def test_the_menu_opens_and_closes_by_keyboard(page):
    page.goto(f"{page.base}{AT}")
    page.locator(".me > summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="Log out").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("button", name="Log out").is_visible()
    assert page.evaluate("() => document.activeElement.tagName") == "SUMMARY"


def test_times_are_those_of_the_reader(browser, live_server, alice, study):
    at = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    Event.objects.create(study=study, at=at, verb="opened")
    for script, shown in (
        (True, "2 Mar 2026, 08:30 GMT+9"),
        (False, "1 Mar 2026, 23:30 UTC"),
    ):
        context = browser.new_context(
            timezone_id="Asia/Tokyo", java_script_enabled=script
        )
        page = log_in(context.new_page(), live_server.url)
        page.goto(f"{page.base}{AT}log/")
        assert page.locator("td time").inner_text() == shown
        context.close()
