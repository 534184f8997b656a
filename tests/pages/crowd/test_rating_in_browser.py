"""A worker rates in a real browser, with and without script."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation, Report, Seat
from tests.pages.browsing import violations
from tests.pages.rating import (
    answers,
    assert_saved,
    rate,
)

pytestmark = pytest.mark.django_db(transaction=True)


def outline(of) -> str:
    return of.evaluate("one => getComputedStyle(one).outlineStyle")


def test_a_fresh_question_has_the_focus_ring_and_not_its_first_answer(worker_page):
    page = worker_page
    page.locator("fieldset input").first.focus()
    page.keyboard.press("4")
    row = page.locator("fieldset").nth(1)
    expect(row.locator("input").first).to_be_focused()
    assert (outline(row), outline(row.locator(".box").first)) == ("solid", "none")
    page.keyboard.press("ArrowRight")
    assert (outline(row), outline(row.locator(".box").nth(1))) == ("none", "solid")


def test_with_the_mouse_there_is_no_focus_ring(worker_page):
    page = worker_page
    row = page.locator("fieldset").first
    row.locator("label").nth(2).click()
    assert (outline(row), outline(row.locator(".box").nth(2))) == ("none", "none")


# The first request waits until `release` is called.
HOLD = """() => {
  const { fetch } = window;
  const free = new Promise((done) => { window.release = done; });
  window.fetch = async (...all) => { await free; return fetch(...all); };
}"""


def test_a_page_drawn_before_the_last_save_still_shows_its_answer(worker_page):
    """A reload may overtake a save, and the old page hear last that all is kept."""
    page = worker_page
    page.evaluate(HOLD)
    page.locator("fieldset input").first.focus()
    page.keyboard.press("4")
    page.evaluate("dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    page.evaluate("release()")
    assert_saved(page)
    assert answers() == 1
    Annotation.objects.all().delete()  # as the server drew the new page
    page.reload()
    expect(page.locator("#progress")).to_have_text("14 answers left")
    assert_saved(page)
    assert answers() == 1
    assert page.evaluate("localStorage.length") == 0


@pytest.mark.path
def test_a_whole_study_by_keyboard_and_by_clicking(worker_page):
    page = worker_page
    # Seven answers by keyboard, then a reload.
    page.locator("fieldset input").first.focus()
    for key in "4443332":
        page.keyboard.press(key)
    expect(page.locator("#progress")).to_have_text("8 answers left")
    assert_saved(page)
    assert answers() == 7
    page.reload()
    checked = page.locator("input:checked")
    assert [checked.nth(i).get_attribute("value") for i in range(7)] == list("4443332")
    expect(page.locator("#progress")).to_have_text("8 answers left")

    # Enter goes to what is open, and submits once nothing is.
    page.locator("fieldset input").first.focus()
    page.keyboard.press("Enter")
    for _ in range(8):
        page.keyboard.press("3")
    expect(page.locator("#progress")).to_have_text("All answered")
    expect(page.get_by_role("button", name="Submit and continue")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")

    # The second page by clicking.
    for row in page.locator("fieldset").all():
        rate(row, 5)
    assert_saved(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.locator("output").first).to_have_text("ABCD2345")

    assert answers() == 30
    finished = Seat.objects.filter(state__in=Seat.FINISHED)
    assert finished.count() == 2
    assert page.problems == []
    hosts = {urlsplit(address).hostname for address in page.requested}
    assert hosts == {"localhost"}


def test_it_names_what_is_missing_without_sending_the_form(worker_page):
    page = worker_page
    for row in page.locator("fieldset").all()[:-2]:
        rate(row, 4)
    page.get_by_role("button", name="Submit and continue").click()
    box = page.locator("#missing")
    expect(box).to_be_focused()
    expect(box.get_by_role("heading")).to_have_text("Answers missing: 2")
    links = box.get_by_role("link")
    asked = "do the sentences fit together as one text?"
    both = [f"Text E: Consistency: {asked}", f"Text E: Relevance: {asked}"]
    expect(links).to_have_text(both)
    links.last.click()
    page.keyboard.press("2")
    expect(links).to_have_text(both[:1])
    page.keyboard.press("2")
    expect(box).to_be_hidden()
    assert page.problems == []


def test_a_digit_with_nothing_in_the_frame_rates_nothing(worker_page):
    worker_page.keyboard.press("3")
    expect(worker_page.locator("fieldset input").first).to_be_focused()
    expect(worker_page.locator("input:checked")).to_have_count(0)


@pytest.fixture
def long_page(worker_page):
    """Text B is longer than the window: its questions stand far below its beginning."""
    page = worker_page
    fill = "(text) => (text.textContent = 'It went on like this. '.repeat(900))"
    page.locator("#text-B .text").evaluate(fill)
    page.locator("fieldset input").first.focus()
    for _ in range(3):
        page.keyboard.press("4")
    expect(page.locator("#progress")).to_have_text("12 answers left")
    return page


def test_a_digit_never_rates_a_question_out_of_view(long_page):
    page, first = long_page, long_page.locator("#text-B fieldset").first
    # The text is there to be read; its first question has the frame, out of view.
    expect(page.locator("#text-B h2")).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()
    page.keyboard.press("5")
    expect(first).to_be_in_viewport(ratio=1)
    expect(page.locator("#text-B input:checked")).to_have_count(0)
    page.keyboard.press("5")
    expect(first.locator("input:checked")).to_have_value("5")


@pytest.mark.parametrize("key", ["ArrowDown", "ArrowUp", "Space", "ArrowRight"])
def test_no_other_key_rates_it_either(long_page, key):
    page = long_page
    page.keyboard.press("PageDown")
    before = page.evaluate("scrollY")
    page.keyboard.press(key)
    assert page.evaluate("scrollY") != before
    expect(page.locator("#text-B input:checked")).to_have_count(0)
    expect(page.locator("#progress")).to_have_text("12 answers left")


def test_a_key_held_down_rates_one_question(worker_page):
    page = worker_page
    page.locator("fieldset input").first.focus()
    for _ in range(5):  # each but the first is a repetition
        page.keyboard.down("4")
    page.keyboard.up("4")
    expect(page.locator("input:checked")).to_have_count(1)


def test_a_row_under_the_bar_is_not_in_view(worker_page):
    page = worker_page
    row = page.locator("fieldset").first
    row.locator("input").first.focus()
    row.evaluate("(row) => scrollBy(0, row.getBoundingClientRect().top - 10)")
    page.keyboard.press("4")
    expect(page.locator("input:checked")).to_have_count(0)
    page.keyboard.press("4")
    expect(row.locator("input:checked")).to_have_value("4")


def test_keys_and_instructions_open_over_the_page(worker_page):
    page = worker_page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Instructions").click()
    dialog = page.get_by_role("dialog", name="Instructions")
    expect(dialog).to_be_visible()
    dialog.get_by_text("Back to the texts").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("input:checked")).to_have_count(0)
    assert page.url == page.url.split("#")[0]


def test_leaving_says_how_to_come_back_and_coming_back_goes_on(worker_page):
    page = worker_page
    rate(page.locator("fieldset").first, 4)
    page.get_by_role("button", name="Leave and keep my place").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your answers are saved")
    page.goto(page.locator("output").inner_text())
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("input:checked")).to_have_value("4")


def test_without_script_the_whole_survey_is_a_plain_form(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("link", name="Keys")).to_be_hidden()  # they need a script
    page.get_by_role("link", name="Instructions").click()
    expect(page.get_by_role("dialog", name="Instructions")).to_be_visible()
    page.get_by_role("link", name="Back to the texts").click()
    for row in page.locator("fieldset").all()[1:]:
        rate(row, 3)
    page.get_by_role("button", name="Submit and stop here").click()
    expect(page.locator("#missing")).to_contain_text("Answers missing: 1")
    expect(page.locator("#missing")).to_be_focused()
    page.get_by_role("link", name="Text A: Coherence").click()
    rate(page.locator("fieldset").first, 3)
    page.get_by_role("button", name="Submit and stop here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Finish now?")
    page.get_by_role("button", name="Finish now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    context.close()
    assert answers() == 15


def test_from_the_link_to_the_code_without_a_mouse(page, live_server, study):
    study.max_pages = 1
    study.save()
    press = page.keyboard.press
    page.goto(live_server.url + study.get_worker_url())

    def tab_to(role: str) -> None:
        for _ in range(40):
            press("Tab")
            if page.evaluate("(r) => document.activeElement.matches(r)", role):
                return
        raise AssertionError(f"no {role} within 40 tabs")

    tab_to("[name=agree]")
    press("Space")
    tab_to("button.primary")
    press("Enter")
    expect(page.locator("#progress")).to_have_text("15 answers left")
    tab_to("input[type=radio]")
    for _ in range(14):
        press("4")
    press("Space")  # the scale's first number
    press("ArrowRight")
    press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    assert answers() == 15
    assert Seat.objects.get().annotations.last().value == 2


def test_a_report_is_confirmed_where_it_was_made_and_loses_nothing(worker_page):
    page = worker_page
    rate(page.locator("fieldset").nth(4), 2)
    card = page.locator("#text-B")
    card.get_by_text("Report a problem").click()
    card.get_by_role("button", name="Send report").click()
    expect(card.get_by_role("textbox")).to_be_focused()
    expect(card.get_by_text("Say briefly")).to_be_visible()
    assert violations(page) == []
    page.keyboard.type("It names 3 private persons.")  # digits rate nothing here
    card.get_by_role("button", name="Send report").click()
    expect(card.get_by_text("You reported this text")).to_be_in_viewport()
    expect(page.locator("input:checked")).to_have_count(1)
    expect(page.locator("#text-B input:checked")).to_have_value("2")
    assert Report.objects.get().reason == "It names 3 private persons."
    assert violations(page) == []
    assert page.problems == []


def test_a_comment_is_saved_while_it_is_written(worker_page):
    page = worker_page
    page.get_by_text("Add a comment").click()
    page.get_by_label("Anything we should know").type("Text A is odd.")
    assert_saved(page)
    page.reload()
    expect(page.get_by_label("Anything we should know")).to_have_value("Text A is odd.")
    assert Seat.objects.get().comment == "Text A is odd."


def test_without_script_reports_and_enter_do_what_they_say(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    rate(page.locator("fieldset").first, 3)
    page.locator("#text-C").get_by_text("Report a problem").click()
    page.locator("#report-3").fill("It is cut off.")
    page.locator("#text-C").get_by_role("button", name="Send report").click()
    expect(page.get_by_text("You reported this text")).to_be_in_viewport()
    # Enter hands the page in: no report lies on the way there.
    page.locator("fieldset input").first.press("Enter")
    expect(page.locator("#missing")).to_contain_text("Answers missing: 14")
    context.close()
    assert Report.objects.get().reason == "It is cut off."
    assert answers() == 1
