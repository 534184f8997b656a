"""Errors are marked in a real browser: by mouse, by keys, and without a script."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation import surveys
from annotation.kinds.spans import scheme, schemes
from annotation.kinds.spans.models import SpanMark
from annotation.models import Seat
from tests.pages.browsing import faults
from tests.pages.rating import assert_saved

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "One 👩‍👩‍👧 two.\r\n  The étude\tof thé\u200b 𝒳 ends, שלום עולם here."


@pytest.fixture
def study(make_study):
    study = make_study(
        prompts=1,
        systems=("a", "b"),
        page_kinds=["spans"],
        ratings_per_text=1,
        completion_code="ABCD2345",
    )
    study.generations.update(text=TEXT)
    study.damaged_texts = "none"
    study.save()
    schemes.keep(study, scheme.MQM, "mqm")
    surveys.open_study(study=study)
    return study


def start(page: Page, live_server, study) -> Page:
    page.goto(live_server.url + study.get_worker_url())
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    expect(page.locator("fieldset.marking").first).to_be_visible()
    return page


@pytest.fixture
def marking(page: Page, live_server, study) -> Page:
    start(page, live_server, study)
    expect(page.locator(".tools").first).to_be_visible()
    return page


def row(page: Page, n: int = 0) -> Locator:
    return page.locator("fieldset.marking").nth(n)


def root(page: Page) -> Locator:
    return page.locator("span[data-side=text]").first


SELECT = """([from, to]) => {
  const root = document.querySelector("span[data-side=text]");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const place = (units) => {
    walker.currentNode = root;
    for (let left = units; walker.nextNode(); left -= walker.currentNode.length) {
      if (left <= walker.currentNode.length) return [walker.currentNode, left];
    }
  };
  getSelection().setBaseAndExtent(...place(from), ...place(to));
}"""


def select(page: Page, words: str) -> None:
    """As a mouse or a finger does."""
    text = root(page).evaluate("root => root.textContent")
    before = text[: text.index(words)]
    units = [len(part.encode("utf-16-le")) // 2 for part in (before, before + words)]
    page.evaluate(SELECT, units)


def mark(page: Page, words: str, category: str = "Accuracy") -> None:
    select(page, words)
    row(page).get_by_role("button", name="Mark the selected words").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_role("button", name=category).click()
    dialog.get_by_role("button", name="Major").click()


def stored() -> list[str]:
    rows = SpanMark.objects.filter(number__gt=0).order_by("item", "number")
    for one in rows:
        assert TEXT[one.start : one.end] == one.words
    return [one.words for one in rows]


def test_no_mark_shifts_whatever_the_letters(marking):
    words = ["👩‍👩‍👧", "two.\n  The", "étude\tof", "thé\u200b", "𝒳", "שלום", "ם here"]
    for one in words[:5]:
        mark(marking, one)
    assert_saved(marking)
    assert stored() == [one.replace("\n", "\r\n") for one in words[:5]]
    expect(row(marking).locator(".marks li")).to_have_count(5)
    assert root(marking).evaluate("root => root.textContent") == TEXT.replace(
        "\r\n", "\n"
    )
    marking.reload()
    expect(row(marking).locator(".marks li")).to_have_count(5)
    expect(row(marking).locator(".marks .quote").nth(1)).to_have_text("two.\n  The")


@pytest.mark.path
def test_a_page_is_marked_and_handed_in_by_keyboard_alone(marking):
    for number in range(2):
        text = marking.locator("span[data-side=text]").nth(number)
        text.focus()
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter", "1", "3"):
            marking.keyboard.press(key)
        expect(marking.locator("dialog[open]")).to_have_count(0)
        expect(text).to_be_focused()
    # The digits have chosen in the dialog alone.
    expect(marking.locator("input[type=radio]:checked")).to_have_count(0)
    expect(row(marking).locator(".marks .quote")).to_have_text("👩‍👩‍👧 two.")
    scales = marking.locator("fieldset.row-of-scale")
    for number in range(scales.count()):
        # The first press would only bring a question into view.
        scales.nth(number).evaluate("row => row.scrollIntoView({block: 'center'})")
        scales.nth(number).locator("input").first.focus()
        marking.keyboard.press("3")
    expect(marking.locator("#progress")).to_have_text("All answered")
    marking.locator("button.primary").focus()
    here = marking.url
    marking.keyboard.press("Enter")
    marking.wait_for_url(lambda url: url != here)
    assert Seat.objects.get().state == Seat.State.VALID
    assert stored() == ["👩‍👩‍👧 two."] * 2


def test_a_mark_is_changed_moved_removed_and_brought_back(marking):
    mark(marking, "étude")
    mark(marking, "The étude\tof", "Style")
    items = row(marking).locator(".marks li")
    expect(items.nth(1).locator(".kind")).to_have_text("Style")
    items.nth(1).get_by_role("button", name="Change").click()
    dialog = marking.locator("dialog[open]")
    dialog.get_by_role("button", name="Fluency").click()
    dialog.get_by_role("button", name="Begin later").click()
    dialog.get_by_role("button", name="By single letters").click()
    dialog.get_by_role("button", name="End earlier").click()
    marking.keyboard.press("Escape")
    expect(items.nth(1).locator(".kind")).to_have_text("Fluency")
    expect(items.nth(1).locator(".quote")).to_have_text("étude\to")
    items.nth(0).get_by_role("button", name="Remove").click()
    expect(items).to_have_count(1)
    row(marking).get_by_role("button", name="Undo").click()
    expect(items).to_have_count(2)
    assert_saved(marking)
    assert stored() == ["étude", "étude\to"]


def test_something_missing_is_a_place_without_words(marking):
    row(marking).get_by_role("button", name="Something is missing").click()
    dialog = marking.locator("dialog[open]")
    dialog.get_by_role("button", name="Accuracy").click()
    dialog.get_by_role("button", name="Minor").click()
    assert_saved(marking)
    assert SpanMark.objects.values_list("start", "end").get() == (len(TEXT),) * 2


def test_a_missing_place_is_beside_the_word_that_was_clicked_and_can_be_moved(marking):
    select(marking, "two")
    marking.evaluate("getSelection().collapseToEnd()")
    marking.evaluate("getSelection().modify('move', 'backward', 'character')")
    row(marking).get_by_role("button", name="Something is missing").click()
    dialog = marking.locator("dialog[open]")
    dialog.get_by_role("button", name="Begin later").click()
    dialog.get_by_role("button", name="Accuracy").click()
    dialog.get_by_role("button", name="Minor").click()
    row(marking).get_by_role("button", name="Change 1: missing").click()
    expect(root(marking).locator(".point")).to_have_count(1)
    dialog.get_by_role("button", name="Begin later").click()
    assert_saved(marking)
    assert (
        SpanMark.objects.values_list("start", "end").get() == (TEXT.index("étude"),) * 2
    )


def test_the_focus_stays_with_the_list_or_goes_to_the_text(marking):
    mark(marking, "étude")
    mark(marking, "One")
    items = row(marking).locator(".marks li")
    change = items.nth(1).get_by_role("button", name="Change")
    change.press("Enter")
    marking.keyboard.press("1")
    marking.keyboard.press("Escape")
    expect(change).to_be_focused()
    remove = items.nth(0).get_by_role("button", name="Remove")
    remove.press("Enter")
    expect(items).to_have_count(1)
    expect(remove).to_be_focused()
    remove.press("Enter")
    expect(root(marking)).to_be_focused()
    marking.keyboard.press("Control+z")
    undo = row(marking).get_by_role("button", name="Undo")
    while undo.is_enabled():
        undo.press("Enter")
    expect(root(marking)).to_be_focused()


def test_a_mouse_opens_the_chooser_where_it_is_let_go(marking):
    box = root(marking).bounding_box()
    at = box["y"] + box["height"] - 8  # the last line
    marking.mouse.move(box["x"] + 2, at)
    marking.mouse.down()
    marking.mouse.move(box["x"] + 60, at)
    marking.mouse.up()
    expect(marking.locator("dialog[open]")).to_be_visible()
    marking.keyboard.press("Escape")
    expect(row(marking).locator(".marks li")).to_have_count(0)


def test_words_can_be_chosen_from_a_list_in_either_order(marking):
    row(marking).get_by_text("Choose words from a list").click()
    row(marking).get_by_label("First word").select_option("3")
    row(marking).get_by_label("Last word").select_option("1")
    row(marking).get_by_role("button", name="Add this mark").click()
    problem = row(marking).locator(".by-list .problem")
    expect(problem).to_have_text("Not added yet. Please choose: Error, Severity")
    expect(row(marking).get_by_role("combobox", name="Error")).to_be_focused()
    row(marking).get_by_role("combobox", name="Error").select_option("style")
    row(marking).get_by_role("combobox", name="Severity").select_option("minor")
    row(marking).get_by_role("button", name="Add this mark").click()
    expect(problem).to_be_hidden()
    expect(row(marking).get_by_label("First word")).to_have_value("")
    expect(row(marking).locator(".marks .quote")).to_have_text("One 👩‍👩‍👧 two.")
    assert_saved(marking)
    assert stored() == ["One 👩‍👩‍👧 two."]


def test_a_place_where_something_is_missing_is_shown_with_the_words_beside_it(marking):
    select(marking, "two.")
    marking.evaluate("getSelection().collapseToEnd()")
    row(marking).get_by_role("button", name="Something is missing").click()
    dialog = marking.locator("dialog[open]")
    quote = "One 👩‍👩‍👧 two. ▲ The étude\tof"
    assert dialog.locator(".chosen bdi").text_content().split() == quote.split()
    dialog.get_by_role("button", name="Accuracy").click()
    dialog.get_by_role("button", name="Minor").click()
    shown = row(marking).locator(".marks .quote").text_content()
    assert shown.split() == quote.split()
    assert_saved(marking)
    marking.reload()
    expect(row(marking).get_by_role("button", name="Change 1: missing")).to_be_visible()
    expect(row(marking).get_by_text("Remove the ticked marks")).to_have_count(0)
    written = re.search(r'class="quote"[^>]*>([^<]*)<', get(marking))
    assert written[1].split() == quote.split()


def get(page: Page) -> str:
    """The page as the server sends it."""
    return page.request.get(page.url).text()


def test_a_text_that_is_full_says_so(marking):
    for words in ("One", "two", "The", "étude"):
        mark(marking, words)
    expect(row(marking).locator(".full")).to_be_empty()
    mark(marking, "ends")
    expect(row(marking).locator(".full")).to_contain_text("5")
    row(marking).get_by_role("button", name="Remove").first.click()
    expect(row(marking).locator(".full")).to_be_empty()


def test_a_selection_within_words_marks_them_whole(marking):
    mark(marking, "wo.\n  The étu")
    mark(marking, "tud")
    assert_saved(marking)
    assert stored() == ["two.\r\n  The étude", "étude"]


def test_with_alt_a_mouse_marks_letters(marking):
    box = root(marking).bounding_box()
    at = box["y"] + box["height"] - 8
    marking.keyboard.down("Alt")
    marking.mouse.move(box["x"] + 2, at)
    marking.mouse.down()
    marking.mouse.move(box["x"] + 16, at)
    marking.mouse.up()
    marking.keyboard.up("Alt")
    chosen = marking.locator("dialog[open] .chosen bdi")
    expect(chosen).to_have_text(re.compile("^Th?$"))


SNAP = """async (cases) => {
  const { snapped } = await import("/static/annotation/kinds/spans/offsets.js");
  return cases.map(([before, words, after]) => {
    const [start, end] = [[...before].length, [...before, ...words].length];
    const points = [...before, ...words, ...after];
    const now = snapped(points, { start, end }, 0);
    return points.slice(now.start, now.end).join("");
  });
}"""


def test_borders_of_words_in_many_scripts(marking):
    cases = [
        ("So", "me wor", "ds, and", "Some words"),
        ("I do", "n", "'t know", "don't"),
        ("l’", "ami", "tié.", "l’amitié"),
        ("costs 1,2", "3", "4.50. ", "1,234.50"),
        ("well-", "kno", "wn", "known"),
        ("word", ", ", "word", ", "),
        ("שלו", "ם עו", "לם", "שלום עולם"),
        ("我喜", "欢", "你", "欢"),
        ("カタ", "カナ", "です", "カナ"),
        ("ไม่มี", "ช่อง", "ว่าง", "ช่อง"),
        ("ét", "u", "de", "étude"),
        ("𝒳", "y", "z", "𝒳yz"),
    ]
    found = marking.evaluate(SNAP, [case[:3] for case in cases])
    assert found == [case[3] for case in cases]


def test_the_keys_of_marking_are_among_the_keys(marking):
    marking.keyboard.press("?")
    keys = marking.locator("dialog#keys")
    expect(keys.locator("kbd", has_text="Esc")).to_be_visible()
    expect(keys.locator("kbd", has_text="Ctrl")).to_be_visible()


def test_the_chooser_stays_in_the_window_whatever_it_shows(marking):
    mark(marking, "étude")
    row(marking).locator(".meanings > summary").first.click()
    row(marking).get_by_role("button", name="Change").scroll_into_view_if_needed()
    row(marking).get_by_role("button", name="Change").click()
    dialog = marking.locator("dialog[open]")
    for _ in range(2):
        box = dialog.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= marking.viewport_size["height"]
        dialog.get_by_text("What each mark means").click()
    expect(dialog.locator("dl")).to_be_hidden()
    dialog.get_by_text("What each mark means").click()
    marking.keyboard.press("Escape")
    # It is open in the next chooser, too.
    row(marking, 1).get_by_role("button", name="Something is missing").click()
    expect(marking.locator("dialog[open] dl")).to_be_visible()


@pytest.fixture
def phone(browser, live_server, study) -> Page:
    size = {"width": 390, "height": 844}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = start(context.new_page(), live_server, study)
    expect(page.locator(".tools").first).to_be_visible()
    yield page
    context.close()


def middle_of(page: Page, words: str) -> tuple[float, float]:
    """Where a finger touches them."""
    select(page, words)
    box = page.evaluate(
        "(() => getSelection().getRangeAt(0).getBoundingClientRect())()"
    )
    page.evaluate("getSelection().removeAllRanges()")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_words_that_a_finger_selected_are_marked_with_taps(phone):
    """Headless Chromium selects nothing at a long press, so a script does."""
    select(phone, "tud")
    phone.wait_for_timeout(1500)  # the selection stays as long as nothing ends it
    row(phone).get_by_role("button", name="Mark the selected words").tap()
    dialog = phone.locator("dialog[open]")
    expect(dialog.locator(".chosen bdi")).to_have_text("étude")
    dialog.get_by_role("button", name="Accuracy").tap()
    dialog.get_by_role("button", name="Minor").tap()
    assert_saved(phone)
    assert stored() == ["étude"]
    row(phone).get_by_role("button", name="Remove").tap()
    expect(row(phone).locator(".marks li")).to_have_count(0)


def test_a_tap_says_where_something_is_missing(phone):
    phone.touchscreen.tap(*middle_of(phone, "The"))
    row(phone).get_by_role("button", name="Something is missing").tap()
    chosen = phone.locator("dialog[open] .chosen bdi")
    beside = chosen.text_content().split()
    assert "The" in (beside[beside.index("▲") - 1], beside[beside.index("▲") + 1])


def test_a_phone_says_how_to_select_by_touch(phone):
    expect(row(phone).locator(".by-touch")).to_be_visible()
    expect(row(phone).locator(".by-keys")).to_be_hidden()


def test_a_desk_says_how_to_select_by_keys(marking):
    expect(row(marking).locator(".by-keys")).to_be_visible()
    expect(row(marking).locator(".by-touch")).to_be_hidden()


def test_what_a_finger_presses_is_large_enough(phone):
    mark(phone, "étude")
    row(phone).get_by_role("button", name="Change").tap()
    expect(phone.locator("dialog[open]")).to_be_visible()
    small = phone.evaluate(
        """() => [...document.querySelectorAll("main button, summary, .map a, .tick")]
          .filter((part) => part.checkVisibility())
          .map((part) => [part.textContent, part.getBoundingClientRect()])
          .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
          .map(([words]) => words.trim())"""
    )
    assert small == []


def test_it_looks_right_everywhere(marking):
    mark(marking, "étude")
    mark(marking, "The étude\tof", "Style")
    assert faults(marking) == []
    row(marking).get_by_role("button", name="Change").first.click()
    assert faults(marking) == []


@pytest.mark.parametrize("language", ["de", "ar"])
def test_other_languages_fit_a_narrow_screen(page, live_server, study, language):
    study.language = language
    study.save()
    page.set_viewport_size({"width": 320, "height": 640})
    start(page, live_server, study)
    assert faults(page) == []


def add(page: Page) -> None:
    """Press the button of the second text's list, and see where the page is then."""
    row(page, 1).get_by_role("button", name="Add this mark").click()
    page.wait_for_load_state()
    assert page.url.endswith("#list-2-text")
    expect(row(page, 1).locator(".by-list")).to_have_attribute("open", "")
    expect(row(page, 1).get_by_label("First word")).to_be_in_viewport()


def test_without_script_errors_are_chosen_from_lists(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = start(context.new_page(), live_server, study)
    row(page, 1).get_by_text("Choose words from a list").click()
    row(page, 1).get_by_label("First word").select_option("3")
    row(page, 1).get_by_label("Last word").select_option("2")
    page.locator("fieldset.row-of-scale input[value='4']").first.check(force=True)
    add(page)
    problem = row(page, 1).locator(".by-list .problem")
    expect(problem).to_have_text("Not added yet. Please choose: Error, Severity")
    expect(row(page, 1).get_by_label("First word")).to_have_value("3")
    row(page, 1).get_by_role("combobox", name="Error").select_option("style")
    row(page, 1).get_by_role("combobox", name="Severity").select_option("minor")
    add(page)
    expect(problem).to_be_hidden()
    expect(row(page, 1).locator(".marks .quote")).to_have_text("👩‍👩‍👧 two.")
    assert stored() == ["👩‍👩‍👧 two."]
    # What else the form held was saved both times.
    expect(page.locator("fieldset.row-of-scale input:checked")).to_have_count(1)
    add(page)
    expect(problem).to_contain_text("First word")
    row(page, 1).get_by_label("Remove", exact=True).check()
    row(page, 1).get_by_role("button", name="Remove the ticked marks").click()
    page.wait_for_load_state()
    assert page.url.endswith("#marking-2")
    expect(row(page, 1).locator(".marks li")).to_have_count(0)
    assert stored() == []
    context.close()


PICK = """async (cases) => {
  const { picked, select } = await import("/static/annotation/kinds/spans/picking.js");
  const { draw } = await import("/static/annotation/kinds/spans/showing.js");
  const box = document.createElement("div");
  document.querySelector("main").append(box);
  const found = [];
  for (const [text, start, end, dir] of cases) {
    box.dir = dir;
    const root = document.createElement("span");
    box.replaceChildren("before ", root, " behind");
    const side = { name: "text", root, points: [...text], fixed: 0 };
    const mark = (low, high) => ({ side: "text", start: low, end: high, category: "" });
    draw(side, [mark(start >> 1, end), mark(start, start)], null, () => "red");
    if (root.textContent !== text) throw new Error(`drawn otherwise: ${text}`);
    select(side, start, end);
    const now = picked([side]);
    found.push([now.start, now.end, side.points.slice(now.start, now.end).join("")]);
  }
  box.remove();
  return found;
}"""
PIECES = (
    "a",
    " ",
    "\n",
    "\t",
    "👩‍👩‍👧",
    "é",
    "e\u0301",
    "\u200b",
    "𝒳",
    "שלום",
    "العربية",
    "。",
)


def test_two_hundred_selections_are_read_to_the_code_point(marking):
    chance = random.Random(7)
    cases = []
    for _ in range(200):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 30)))
        start, end = sorted(chance.choices(range(len(text) + 1), k=2))
        cases.append((text, start, end, chance.choice(["ltr", "rtl"])))
    for case, (start, end, words) in zip(
        cases, marking.evaluate(PICK, cases), strict=True
    ):
        text, low, high, _ = case
        assert words == text[start:end], case
        part = text[low:high]
        if part.strip():
            low += len(part) - len(part.lstrip())
            high -= len(part) - len(part.rstrip())
        assert (start, end) == (low, high), case
