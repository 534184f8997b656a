"""Two texts side by side in a real browser: by keyboard, on phones, without script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Seat, Study, comparing
from annotation.models.comparing import FIRST, MUCH_FIRST, MUCH_SECOND, TIE
from tests.annotation.pairing import open_pairs
from tests.pages.browsing import faults, overflow, violations
from tests.pages.rating import DESKTOP, PHONE, assert_saved

pytestmark = pytest.mark.django_db(transaction=True)

PAIRS = 3  # and the damaged twin


@pytest.fixture
def study(make_study) -> Study:
    """One page of three pairs and a damaged twin, with two questions on each."""
    study = make_study(
        prompts=1,
        systems=("a", "b", "c"),
        aspects=("coherence", "fluency"),
        ratings_per_text=1,
        contact="lab@example.org",
    )
    study.prompts.update(source="Write a story about a ferry.")
    return open_pairs(study, pair_strength=True)


def begin(page: Page, base: str, study: Study) -> Page:
    page.goto(base + study.get_worker_url())
    page.locator("input[type=checkbox]").first.check()
    page.locator("form button").first.click()
    page.wait_for_url("**/seat/**")
    return page


@pytest.fixture
def pair_page(page, live_server, study) -> Page:
    """At the first page, once its script has run."""
    begin(page, live_server.url, study)
    expect(page.locator("#progress")).to_have_text("8 answers left")
    return page


def given() -> list[int | None]:
    """The stored answers as they were pressed, in the order of the page."""
    seat = Seat.objects.get()
    rows = Annotation.objects.order_by("pk").select_related("aspect")
    at = {(seat.order.index(r.item_id), r.aspect.position): r for r in rows}
    return [
        comparing.seen(at[key].value, flipped=at[key].item_id in seat.flipped)
        for key in sorted(at)
    ]


def sides(page: Page) -> tuple[dict, dict]:
    boxes = page.locator(".pair").first.locator(".side")
    return boxes.nth(0).bounding_box(), boxes.nth(1).bounding_box()


def test_digits_answer_from_left_to_right(pair_page):
    page = pair_page
    page.locator("fieldset input").first.focus()
    for key in "15323":
        page.keyboard.press(key)
    expect(page.locator("#progress")).to_have_text("3 answers left")
    assert_saved(page)
    assert given() == [MUCH_FIRST, MUCH_SECOND, TIE, FIRST, TIE]
    page.reload()
    checked = page.locator("input:checked")
    assert [one.get_attribute("data-key") for one in checked.all()] == list("15323")


def test_a_digit_without_an_answer_does_nothing(pair_page):
    page = pair_page
    page.locator("fieldset input").first.focus()
    page.keyboard.press("6")
    page.keyboard.press("0")
    assert page.locator("input:checked").count() == 0


@pytest.mark.path
def test_a_whole_page_by_keyboard_alone(pair_page):
    page = pair_page
    page.keyboard.press("3")  # goes to the first question
    for _ in range(8):
        page.keyboard.press("3")
    expect(page.locator("#progress")).to_have_text("All answered")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("Page 1")
    assert given() == [TIE] * 8
    assert page.problems == []


def test_what_is_missing_is_named_by_pair(pair_page):
    page = pair_page
    page.locator("#text-2 label", has_text="No difference").first.click()
    page.get_by_role("button", name="Submit").last.click()
    missing = page.locator("#missing")
    expect(missing).to_contain_text("Answers missing: 7")
    expect(missing.locator("li").first).to_contain_text("Pair 1:")
    missing.locator("a").nth(2).click()
    expect(
        page.locator("#text-2 fieldset").nth(1).locator("input").first
    ).to_be_focused()


def test_each_answer_is_named_by_its_words(pair_page):
    page = pair_page
    row = page.locator("fieldset").first
    names = ["A is much better", "A is better", "No difference", "B is better"]
    for name in (*names, "B is much better"):
        expect(row.get_by_role("radio", name=name, exact=True)).to_be_visible()
    expect(
        page.locator("#text-1").get_by_role("heading", name="Text A")
    ).to_be_visible()


def test_texts_stand_side_by_side_where_there_is_room_and_else_below(pair_page):
    page = pair_page
    page.set_viewport_size(DESKTOP)
    left, right = sides(page)
    assert left["y"] == right["y"] and left["x"] + left["width"] < right["x"]
    page.set_viewport_size(PHONE)
    upper, lower = sides(page)
    assert upper["x"] == lower["x"] and upper["y"] + upper["height"] < lower["y"]


def test_the_page_names_no_system_and_no_damaged_text(pair_page):
    source = pair_page.content().lower()
    for word in ("damaged", "system", "negative", "0-a-1", "0-b-1", "flipped"):
        assert word not in source


def test_it_has_no_faults(pair_page):
    assert faults(pair_page) == []
    assert pair_page.problems == []


@pytest.mark.parametrize("language", ["de", "ar"])
def test_it_has_no_faults_in_other_languages(page, live_server, study, language):
    Study.objects.update(language=language)
    begin(page, live_server.url, study)
    for width in (320, 375):
        page.set_viewport_size({"width": width, "height": 640})
        assert overflow(page) <= 0
    assert faults(page) == []
    page.set_viewport_size(DESKTOP)
    left, right = sides(page)
    # Where reading begins on the right, so do the texts.
    assert (left["x"] > right["x"]) == (language == "ar")


def test_long_texts_keep_their_questions_in_view(page, live_server, make_study):
    study = make_study(prompts=1, systems=("a", "b", "c"), aspects=("coherence",))
    for text in study.generations.all():
        text.text = " ".join([text.text] * 20)
        text.save()
    begin(page, live_server.url, open_pairs(study))
    page.set_viewport_size(DESKTOP)
    question = page.locator("#text-1 fieldset").first
    expect(question).to_be_in_viewport(ratio=1)
    page.mouse.wheel(0, 600)
    expect(page.locator("#text-1 h2")).not_to_be_in_viewport()
    expect(question).to_be_in_viewport(ratio=1)
    question.locator("input").first.focus()
    page.keyboard.press("1")
    expect(page.locator("#text-1 input:checked")).to_have_count(1)
    page.set_viewport_size(PHONE)
    page.evaluate("scrollTo(0, 0)")
    expect(question).not_to_be_in_viewport()  # there the texts need all the room
    assert overflow(page) <= 0
    assert violations(page) == []


class TestWithoutScript:
    @pytest.fixture
    def plain(self, browser, live_server, study):
        context = browser.new_context(java_script_enabled=False, viewport=PHONE)
        page = context.new_page()
        yield begin(page, live_server.url, study)
        context.close()

    def test_a_page_can_be_handed_in(self, plain):
        for row in plain.locator("fieldset").all():
            row.locator("label", has_text="B is better").click()
        plain.get_by_role("button", name="Submit").last.click()
        assert Annotation.objects.count() == 2 * (PAIRS + 1)
        assert Seat.objects.get().state in Seat.FINISHED

    def test_missing_answers_are_named_and_the_others_kept(self, plain):
        first = plain.locator("fieldset").first
        first.locator("label", has_text="A is better").click()
        plain.get_by_role("button", name="Submit").last.click()
        expect(plain.locator("#missing")).to_contain_text("Answers missing: 7")
        expect(plain.locator("#missing li").first).to_contain_text("Pair 1:")
        checked = plain.locator("fieldset input:checked")
        expect(checked).to_have_count(1)
        assert given() == [FIRST]
