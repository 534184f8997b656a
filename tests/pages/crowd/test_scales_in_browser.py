"""Sliders, words for each point and "Cannot say" in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation
from tests.pages.browsing import faults, log_in
from tests.pages.rating import PHONE
from tests.pages.scales import begin, of_all_kinds

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study):
    return of_all_kinds(make_study)


@pytest.fixture
def worker_page(page, live_server, study) -> Page:
    begin(page, live_server.url, study)
    # The script comes later than the page: before it has run, keys do nothing.
    expect(page.locator("#progress")).to_have_text("15 answers left")
    return page


def all_saved(page: Page) -> None:
    """Also what is sent a moment after the handle rests."""
    page.locator("h1").first.click()  # leaves the field
    expect(page.locator("#status")).to_have_text("Saved just now")
    page.wait_for_function("() => !localStorage.length")


def given(key: str = "relevance") -> list[int | None]:
    rows = Annotation.objects.filter(aspect__key=key).order_by("pk")
    return list(rows.values_list("value", flat=True))


def test_a_slider_starts_empty_and_says_so(worker_page):
    row = worker_page.locator("fieldset").nth(2)
    expect(row.locator(".state")).to_have_text("Not answered yet")
    handle = row.get_by_role("slider")
    expect(handle).to_have_attribute("aria-valuetext", "Not answered yet")
    expect(row.locator("input[type=number]")).to_have_value("")
    expect(row.locator("input[type=hidden]")).to_have_value("")
    assert given() == []


@pytest.mark.path
def test_keys_alone_answer_a_page_of_all_kinds(worker_page):
    """4; 10 by the key to the right of 0; digits typed on a slider."""
    page = worker_page
    page.locator("fieldset input").first.focus()
    page.keyboard.press("4")
    page.keyboard.press("Minus")
    row = page.locator("fieldset").nth(2)
    expect(row.get_by_role("slider")).to_be_focused()
    page.keyboard.press("7")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator("#text-B fieldset input").first).to_be_focused()
    expect(row.get_by_role("slider")).to_have_value("73")
    all_saved(page)
    assert (given("coherence"), given("consistency"), given()) == ([4], [10], [73])


def test_arrows_move_the_handle_and_space_keeps_the_middle(worker_page):
    page = worker_page
    first, second = (page.locator("fieldset").nth(n) for n in (2, 5))
    # Where a question cannot be seen whole, keys bring it into view first.
    first.scroll_into_view_if_needed()
    first.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    second.evaluate("one => one.scrollIntoView({block: 'center'})")
    second.get_by_role("slider").focus()
    page.keyboard.press("Space")
    expect(second.locator("input[type=number]")).to_have_value("50")
    expect(second.locator(".state")).to_have_text("")
    all_saved(page)
    assert given() == [52, 50]


def test_a_press_in_the_very_middle_is_an_answer(worker_page):
    page = worker_page
    handle = page.locator("fieldset").nth(2).get_by_role("slider")
    handle.click()
    all_saved(page)
    assert given() == [50]


def test_cannot_say_answers_the_question_and_a_number_takes_it_back(worker_page):
    page = worker_page
    row = page.locator("fieldset").nth(2)
    row.get_by_label("Cannot say").check()
    expect(row.locator(".state")).to_have_text("Your answer: cannot say")
    expect(page.locator("#progress")).to_have_text("14 answers left")
    all_saved(page)
    assert given() == [None]
    page.reload()
    expect(row.get_by_label("Cannot say")).to_be_checked()
    row.locator("input[type=number]").fill("8")
    row.locator("input[type=number]").blur()
    expect(row.get_by_label("Cannot say")).not_to_be_checked()
    all_saved(page)
    assert given() == [8]


def test_a_number_that_is_no_answer_is_refused_in_words(worker_page):
    page = worker_page
    row = page.locator("fieldset").nth(2)
    number = row.locator("input[type=number]")
    number.fill("120")
    number.blur()
    expect(row.locator(".state")).to_have_text("Enter a whole number from 0 to 100.")
    expect(number).to_have_value("")
    assert given() == []


def test_an_answer_that_was_not_saved_outlives_a_reload(worker_page):
    page = worker_page
    row = page.locator("fieldset").nth(2)
    page.route("**/answer/", lambda route: route.abort())
    row.locator("input[type=number]").fill("31")
    row.locator("input[type=number]").blur()
    page.wait_for_function("() => localStorage.length")
    page.unroute("**/answer/")
    page.reload()
    expect(row.get_by_role("slider")).to_have_value("31")
    all_saved(page)
    assert given() == [31]


def test_a_finger_sets_it_on_a_phone(browser, live_server, study):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = begin(context.new_page(), live_server.url, study)
    handle = page.locator("fieldset").nth(2).get_by_role("slider")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 6, box["y"] + box["height"] / 2)
    all_saved(page)
    assert given() == [100]
    context.close()


def test_without_a_script_it_is_a_number_to_type(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    begin(page, live_server.url, study)
    for row in page.locator("fieldset").all():
        if row.locator("input[type=number]").count():
            row.locator("input[type=number]").fill("64")
        else:
            row.locator("input[value='3']").check(force=True)
    last = page.locator("fieldset").last
    last.locator("input[type=number]").fill("")
    last.get_by_label("Cannot say").check()
    expect(last.get_by_text("untick it to give a number")).to_be_visible()
    page.get_by_role("button", name="Submit and stop here").click()
    expect(page.get_by_role("heading", name="Finish now?")).to_be_visible()
    assert given() == [64, 64, 64, 64, None]
    context.close()


def test_axe_finds_nothing_and_nothing_is_too_wide(worker_page):
    page = worker_page
    page.locator("fieldset").nth(2).get_by_role("slider").click()
    page.locator("fieldset").nth(1).get_by_label("Cannot say").check()
    assert faults(page) == []


def test_its_keys_are_said_on_the_page(worker_page):
    page = worker_page
    page.keyboard.press("?")
    keys = page.locator("#keys")
    expect(keys).to_contain_text("The key to the right of 0")
    expect(keys).to_contain_text("Answer 10, if the scale starts at 0")
    expect(keys).to_contain_text("On a slider")


def test_setup_shows_a_question_on_the_scale_that_is_asked_for(
    page, live_server, make_study
):
    study = make_study()
    log_in(page, live_server.url)
    page.goto(f"{live_server.url}/studies/{study.name}/settings/")
    form = page.locator("details.question").first
    form.locator("summary").click()
    form.get_by_label("Answer by").select_option("slider")
    form.get_by_label("Offer “Cannot say”").check()
    form.get_by_role("button", name="Preview").click()
    preview = form.locator(".question-preview")
    expect(preview.get_by_role("slider")).to_be_visible()
    expect(preview).to_contain_text("Not answered yet")
    expect(preview.get_by_label("Cannot say")).to_be_visible()
    assert faults(page) == []
    page.get_by_role("button", name="Save settings").last.click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()
    aspect = study.aspects.first()
    assert (aspect.is_slider, aspect.cannot_say) == (True, True)
