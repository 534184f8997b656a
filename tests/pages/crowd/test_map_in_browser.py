"""The map of the rating page: from text to text, and how far each of them is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation import surveys
from annotation.models import Study
from tests.pages.browsing import overflow, until
from tests.pages.rating import PHONE, assert_saved, rate

pytestmark = pytest.mark.django_db(transaction=True)


def map_of(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Texts on this page")


def here(page: Page) -> str:
    """The one text that the map marks, when the page has come to rest."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    marked = page.locator(".map [aria-current=true]")
    expect(marked).to_have_count(1)
    return marked.get_attribute("href")


def at_page(page: Page, base: str, study: Study) -> None:
    surveys.open_study(study=study)
    page.goto(base + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#progress")).to_contain_text("left")


def test_it_says_how_far_each_text_is(worker_page):
    page, links = worker_page, map_of(worker_page).get_by_role("link")
    expect(links).to_have_count(5)
    rows = page.locator("#text-B fieldset")
    assert [
        one.strip() for one in map_of(page).locator(".state").all_inner_texts()
    ] == [*[""] * 5]
    rate(rows.first, 4)
    expect(links.nth(1)).to_have_accessible_name("Text B 1 of 3")
    for row in rows.all():
        rate(row, 4)
    expect(links.nth(1)).to_have_accessible_name("Text B done")
    expect(links.nth(0)).to_have_accessible_name("Text A")


def test_a_link_leads_to_its_text_and_digits_go_on_from_there(worker_page):
    page = worker_page
    for letter in "EBD":
        map_of(page).get_by_role("link", name=f"Text {letter}").click()
        expect(
            page.get_by_role("heading", name=f"Text {letter}", exact=True)
        ).to_be_in_viewport()
        assert here(page) == f"#text-{letter}"
    page.keyboard.press("5")
    expect(page.locator("#text-D fieldset input").first).to_be_focused()
    page.keyboard.press("5")
    expect(page.locator("#text-D input:checked")).to_have_value("5")
    expect(page.locator("input:checked")).to_have_count(1)


@pytest.mark.path
def test_it_follows_the_reader_from_the_first_text_to_the_last(worker_page):
    page = worker_page
    page.set_viewport_size({"width": 1280, "height": 1400})
    seen = [here(page)]
    for _ in range(40):
        page.mouse.wheel(0, 150)
        if (now := here(page)) != seen[-1]:
            seen.append(now)
    assert seen == [f"#text-{letter}" for letter in "ABCDE"]
    page.evaluate("scrollTo(0, 0)")
    assert here(page) == "#text-A"


def test_by_keyboard_it_follows_the_questions(worker_page):
    page = worker_page
    page.locator("fieldset input").first.focus()
    for _ in range(3):
        page.keyboard.press("4")
    assert here(page) == "#text-B"


def test_on_a_phone_it_is_a_slim_strip_that_shows_where_the_reader_is(worker_page):
    page = worker_page
    page.set_viewport_size(PHONE)
    for letter in "ABCD":
        for row in page.locator(f"#text-{letter} fieldset").all():
            rate(row, 4)
    assert_saved(page)
    strip = map_of(page)
    assert strip.bounding_box()["height"] <= 48
    # The words are for those who hear the page, the signs for those who see it.
    link = strip.get_by_role("link", name="Text A done")
    sign = "one => getComputedStyle(one, '::after').content"
    assert "✓" in link.locator(".letter").evaluate(sign)
    assert link.locator(".name").bounding_box()["width"] <= 1
    map_of(page).get_by_role("link", name="Text E").focus()
    page.keyboard.press("Enter")
    assert here(page) == "#text-E"
    assert until(
        page,
        """() => { const { left, right } = document.querySelector(".map [aria-current]")
          .getBoundingClientRect(); return left >= 0 && right <= innerWidth; }""",
    )


def test_with_many_texts_only_the_strip_scrolls(page, live_server, make_study):
    study = make_study(prompts=2, systems=tuple("abcdefghijkl"), texts_per_survey=12)
    page.set_viewport_size(PHONE)
    at_page(page, live_server.url, study)
    expect(map_of(page).get_by_role("link")).to_have_count(13)
    assert map_of(page).locator("ul").evaluate("one => one.scrollWidth") > 400
    assert overflow(page) == 0


def test_where_there_is_little_height_it_scrolls_away(worker_page):
    page = worker_page
    page.set_viewport_size({"width": 667, "height": 375})
    expect(map_of(page)).to_be_in_viewport()
    page.mouse.wheel(0, 600)
    expect(map_of(page)).not_to_be_in_viewport()
    expect(page.locator(".bar-top")).to_be_in_viewport()


def test_without_script_its_links_say_how_far_each_text_was(
    browser, live_server, study
):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    for row in [
        *page.locator("#text-A fieldset").all(),
        page.locator("fieldset").nth(3),
    ]:
        rate(row, 3)
    page.get_by_role("button", name="Submit and stop here").click()
    links = map_of(page).get_by_role("link")
    expect(links.nth(0)).to_have_accessible_name("Text A done")
    expect(links.nth(1)).to_have_accessible_name("Text B 1 of 3")
    expect(links.nth(2)).to_have_accessible_name("Text C")
    links.nth(4).click()
    expect(page.get_by_role("heading", name="Text E")).to_be_in_viewport()
    expect(page.locator(".map [aria-current]")).to_have_count(0)
    context.close()


def test_a_page_of_one_text_needs_none(page, live_server, make_study):
    study = make_study(prompts=1, systems=("a",), damaged_texts="none")
    at_page(page, live_server.url, study)
    expect(page.locator("#progress")).to_have_text("3 answers left")
    expect(page.locator(".map")).to_have_count(0)
    assert page.problems == []
