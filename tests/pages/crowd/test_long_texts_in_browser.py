"""Long texts, long prompts, code and mixed scripts on the rating page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation import surveys
from annotation.models import Study
from tests.pages.browsing import faults, overflow
from tests.pages.rating import DESKTOP, PHONE

pytestmark = pytest.mark.django_db(transaction=True)

PARAGRAPH = "It went on like this for a while, and the gulls cried. " * 12 + "\n\n"
LONG = PARAGRAPH * 12  # 1,600 words
CODE = "def mean(values):\n\ttotal = 0\n\tfor value in values:\n\t\ttotal += value\n"
CODE += "    # " + "x" * 110 + "\n"
ARABIC = "هذا نص عربي عن الدالة print في Python."
ENGLISH = "The function prints (all of) its arguments."
CALL = 'print("مرحبا", end="")'
MIXED = f"{ARABIC}\n\n{ENGLISH}\n\n    {CALL}\n\n{ARABIC}"


@pytest.fixture
def at_page(page, live_server, make_study) -> Callable[..., Page]:
    """At a page of three texts, each ending with these words."""

    def begin(
        words: str,
        *,
        prompt: dict[str, object] | None = None,
        of_points: dict[str, str] | None = None,
        **fields,
    ) -> Page:
        study = make_study(
            prompts=1, systems=tuple("abc"), damaged_texts="none", **fields
        )
        for text in study.generations.all():
            text.text += words
            text.save()
        study.prompts.update(**(prompt or {}))
        study.aspects.update(words=of_points or {})
        page.set_viewport_size(DESKTOP)
        return start(page, live_server.url, study)

    return begin


def start(page: Page, base: str, study: Study) -> Page:
    surveys.open_study(study=study)
    page.goto(base + study.get_worker_url())
    page.locator("#agree").check()
    page.locator("button.primary").click()
    # The script comes later than the page: before it has run, keys do nothing.
    expect(page.locator(".map [aria-current]")).to_have_count(1)
    return page


def box(one: Locator) -> dict[str, float]:
    found = one.bounding_box()
    assert found is not None
    return {**found, "end": found["x"] + found["width"]}


class TestQuestionsBesideTheText:
    @pytest.mark.path
    def test_they_stay_in_view_while_the_text_is_read(self, at_page):
        page = at_page(LONG)
        text, first = page.locator("#text-A .text"), page.locator("fieldset").first
        assert box(text)["end"] <= box(first)["x"]
        for _ in range(4):
            page.mouse.wheel(0, 500)
            expect(first).to_be_in_viewport(ratio=1)
            expect(text).to_be_in_viewport()

    @pytest.mark.parametrize("size", [PHONE, {"width": 1100, "height": 800}])
    def test_on_a_narrow_screen_they_stand_below(self, at_page, size):
        page = at_page(LONG)
        page.set_viewport_size(size)
        text, first = page.locator("#text-A .text"), page.locator("fieldset").first
        assert box(text)["y"] + box(text)["height"] <= box(first)["y"]
        assert overflow(page) == 0

    def test_short_texts_have_them_below_and_load_nothing_more(self, at_page):
        page = at_page("")
        text, first = page.locator("#text-A .text"), page.locator("fieldset").first
        assert box(text)["y"] + box(text)["height"] <= box(first)["y"]
        expect(page.locator("link[href*='long']")).to_have_count(0)

    def test_a_short_text_among_long_ones_looks_like_them(
        self, page, live_server, make_study
    ):
        study = make_study(prompts=1, systems=tuple("ab"), damaged_texts="none")
        text = study.generations.first()
        text.text += LONG
        text.save()
        page.set_viewport_size(DESKTOP)
        start(page, live_server.url, study)
        first = [box(page.locator(f"#text-{x} fieldset").first) for x in "AB"]
        assert first[0]["x"] == first[1]["x"] > DESKTOP["width"] / 2

    def test_from_right_to_left_they_stand_at_the_left(self, at_page):
        page = at_page(ARABIC * 60, language="ar")
        text, first = page.locator("#text-A .text"), page.locator("fieldset").first
        assert box(first)["end"] <= box(text)["x"]
        prompt = page.locator(".prompt")
        assert box(text)["end"] <= box(prompt)["x"]

    def test_keys_scroll_until_the_worker_begins_to_answer(self, at_page):
        page = at_page(LONG)
        page.locator("fieldset input").first.focus()
        page.keyboard.press("4")
        second = page.locator("fieldset").nth(1)
        expect(second.locator("input").first).to_be_focused()
        for key in ("ArrowDown", "Space", "ArrowUp"):
            before = page.evaluate("scrollY")
            page.keyboard.press(key)
            assert page.evaluate("scrollY") != before
        expect(page.locator("input:checked")).to_have_count(1)
        page.keyboard.press("ArrowRight")
        expect(second.locator("input:checked")).to_have_value("2")
        page.keyboard.press("ArrowDown")
        expect(second.locator("input:checked")).to_have_value("3")

    def test_a_question_that_is_cut_off_is_not_answered(self, at_page):
        """More questions than the window is high: they scroll in a box of their own."""
        page = at_page(LONG, aspects=tuple("abcdefg"))
        # The end of the text is in the middle of the window, and so is that of the box.
        page.locator("#text-A").evaluate(
            "one => scrollBy(0, one.getBoundingClientRect().bottom - 500)"
        )
        questions = page.locator("#text-A .questions")
        assert questions.evaluate("one => one.scrollHeight > one.clientHeight")
        last = page.locator("#text-A fieldset").last
        last.locator("input").first.evaluate("one => one.focus({preventScroll: true})")
        assert 500 < box(last)["y"] < box(last)["y"] + box(last)["height"] < 800
        page.keyboard.press("4")
        expect(page.locator("input:checked")).to_have_count(0)
        page.keyboard.press("4")
        expect(last.locator("input:checked")).to_have_value("4")

    def test_words_of_a_scale_have_room(self, at_page):
        page = at_page(LONG, of_points={"2": "Poor: hard to follow", "4": "Good"})
        points = page.locator(".scale").first.locator("label").all()
        assert len({box(one)["x"] for one in points}) == 1
        assert overflow(page) == 0


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_a_long_page_is_accessible_narrow_and_light(at_page, language):
    page = at_page(LONG, language=language, prompt={"source": LONG})
    loaded = []
    page.on("response", lambda response: loaded.append(response.url))
    page.context.new_cdp_session(page).send(
        "Network.setCacheDisabled", {"cacheDisabled": True}
    )
    page.reload()
    page.wait_for_load_state("networkidle")
    assert 5 <= len(loaded) <= 11
    assert faults(page) == []
    assert page.problems == []


class TestPrompt:
    def test_a_long_one_scrolls_in_its_own_box_also_by_keyboard(self, at_page):
        page = at_page("", prompt={"source": LONG, "prefix": LONG})
        for name in ("The prompt of every text", "Every text begins with"):
            region = page.get_by_role("region", name=name)
            region.focus()
            page.keyboard.press("PageDown")
            page.wait_for_timeout(300)
            assert region.evaluate("one => one.scrollTop") > 0
            assert page.evaluate("scrollY") == 0
        assert page.locator(".prompt").bounding_box()["height"] <= DESKTOP["height"]

    def test_on_a_phone_it_leaves_room_for_the_text(self, at_page):
        page = at_page("", prompt={"source": LONG})
        page.set_viewport_size(PHONE)
        prompt = page.locator(".prompt")
        expect(prompt.locator("details")).to_have_js_property("open", False)
        assert box(prompt)["height"] < 60
        page.locator(".prompt summary").click()
        assert box(prompt)["height"] <= 0.6 * PHONE["height"]

    def test_a_short_one_is_no_stop_on_the_way(self, at_page):
        page = at_page("")
        expect(page.locator(".prompt [tabindex]")).to_have_count(0)

    def test_a_page_without_one_has_no_empty_column(self, at_page):
        page = at_page("", prompt={"prefix": "", "label": None})
        expect(page.locator(".prompt")).to_have_count(0)
        card = box(page.locator(".card").first)
        middle = (card["x"] + card["end"]) / 2
        assert middle == pytest.approx(DESKTOP["width"] / 2, abs=10)
        assert page.problems == []


class TestCode:
    def test_it_keeps_its_white_space_and_scrolls_in_its_box(self, at_page):
        page = at_page("\n" + CODE, monospaced="always", language="ar")
        text = page.locator("#text-A .text")
        looks = text.evaluate(
            "one => { const s = getComputedStyle(one);"
            " return [s.whiteSpace, s.tabSize, s.direction, s.fontFamily] }"
        )
        assert looks[:3] == ["pre", "4", "ltr"] and "monospace" in looks[3]
        assert text.evaluate("one => one.scrollWidth > one.clientWidth")
        text.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        assert text.evaluate("one => one.scrollLeft") > 0
        assert faults(page) == []  # ends at the width of a phone
        assert text.evaluate("one => one.scrollWidth > one.clientWidth")

    def test_a_study_can_forbid_it(self, at_page):
        page = at_page("\n" + CODE * 3, monospaced="never")
        expect(page.locator(".preformatted")).to_have_count(0)
        assert overflow(page) == 0


class TestMixedScripts:
    def test_each_paragraph_runs_its_own_way(self, at_page):
        page = at_page("\n\n" + MIXED, language="ar", prompt={"prefix": ""})
        found = page.locator("#text-A .text").evaluate(
            """(one) => {
              const edge = one.getBoundingClientRect();
              const words = one.firstChild;
              const lines = words.data.split("\\n").filter((line) => line.trim());
              return lines.map((line) => {
                const range = document.createRange();
                const start = words.data.indexOf(line);
                range.setStart(words, start);
                range.setEnd(words, start + line.length);
                const box = range.getBoundingClientRect();
                return [line.trim(), Math.round(box.left - edge.left),
                  Math.round(edge.right - box.right)];
              });
            }"""
        )
        edges = {line: (left, right) for line, left, right in found}
        assert edges[ENGLISH][0] == 0 < edges[ENGLISH][1]
        assert edges[CALL][0] == 0 < edges[CALL][1]
        assert edges[ARABIC][1] == 0 < edges[ARABIC][0]
