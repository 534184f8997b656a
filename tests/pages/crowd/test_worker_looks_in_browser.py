"""The worker's pages in a real browser: light, accessible, narrow, quiet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from annotation import surveys
from annotation.models import Study
from tests.pages.browsing import faults
from tests.pages.crowd import turned_away
from tests.pages.rating import (
    PHONE,
    assert_saved,
    rate,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.path
def test_a_full_page_is_light(page, live_server, make_study):
    """Six texts of a paragraph and a damaged one, with nothing in the cache."""
    study = make_study(prompts=1, samples=2, systems=tuple("abcdef"))
    for text in study.generations.all():
        text.text += " It went on like this for a while." * 15
        text.save()
    surveys.open_study(study=study)
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("fieldset")).to_have_count(7 * 3)
    browser = page.context.new_cdp_session(page)
    browser.send("Network.enable")
    browser.send("Network.setCacheDisabled", {"cacheDisabled": True})
    loaded = []
    page.on("response", lambda response: loaded.append(response))
    page.reload()
    page.wait_for_load_state("networkidle")
    assert 5 <= len(loaded) <= 10
    assert all(response.status == 200 for response in loaded)
    # Not their bodies: the browser may have dropped one by now.
    sizes = [response.request.sizes()["responseBodySize"] for response in loaded]
    # Before compression, which this server leaves out: about a quarter is sent.
    assert 10_000 <= sum(sizes) <= 104_000


def test_axe_finds_nothing_beside_answers_and_a_list_of_missing_ones(worker_page):
    page = worker_page
    rate(page.locator("fieldset").first, 4)
    page.get_by_role("button", name="Submit and continue").click()
    assert_saved(page)
    assert faults(page) == []


def stops(page: Page, base: str, study: Study) -> Iterator[str]:
    """Every page that a worker may meet, one after the other."""
    link, seat = base + study.get_worker_url(), "fieldset input"
    page.goto(link)
    yield "welcome"
    page.locator("form").evaluate("(form) => form.noValidate = true")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Tick the box").wait_for()
    yield "not agreed"
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    page.locator(seat).first.wait_for()
    yield "rating"
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("heading", name="Your answers are saved").wait_for()
    yield "leave"
    page.goto(link)
    yield "welcome back"
    page.get_by_role("button", name="Continue").click()
    page.locator(seat).first.wait_for()
    for row in page.locator("fieldset").all():
        rate(row, 3)
    page.get_by_role("button", name="Submit and stop").click()
    page.get_by_role("heading", name="Finish now?").wait_for()
    page.goto(page.url.replace("/finish/", "/done/"))
    page.get_by_role("heading", name="Page 1 is submitted").wait_for()
    yield "between"
    page.get_by_role("link", name="finish now").click()
    page.get_by_role("heading", name="Finish now?").wait_for()
    yield "finish"
    page.get_by_role("button", name="Finish now").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    yield "done"
    yield from turned_away.stops(page, link)


def test_every_page_is_accessible_narrow_and_quiet(page, live_server, study):
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    stopped = stops(page, live_server.url, study)
    found = {stop: faults(page) for stop in stopped}
    assert len(found) == 15
    assert not {stop: wrong for stop, wrong in found.items() if wrong}
    # The form that was not agreed to is the one answer that is no page of its own.
    assert [p for p in page.problems if "400 (Bad Request)" not in p] == []
    assert {urlsplit(address).hostname for address in requested} == {"localhost"}


def test_every_target_is_large_enough_for_a_finger(worker_page):
    page = worker_page
    page.set_viewport_size(PHONE)
    small = page.evaluate(
        """() => [...document.querySelectorAll("input[type=radio], button, a, summary")]
          .filter((one) => one.checkVisibility() && !one.matches(".skip-link"))
          .map((one) => [one.outerHTML, one.getBoundingClientRect()])
          .filter(([, box]) => box.width < 44 || box.height < 44)
          .map(([html]) => html)"""
    )
    assert small == []


def test_nothing_of_a_system_reaches_the_browser(worker_page):
    seen = worker_page.content() + json.dumps(worker_page.requested)
    # The study's name; its texts speak of a ferry, too.
    assert "ferry" not in seen.replace("The ferry", "").replace("the ferry", "")
    assert "negative" not in seen
