"""A page of corrections in a real browser: nothing that is typed is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation import surveys
from annotation.kinds.edits import words
from annotation.kinds.edits.content import originals
from annotation.models import Edit, Item, Seat
from tests.pages.browsing import faults
from tests.pages.rating import assert_saved

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study):
    study = make_study(
        prompts=2,
        systems=("a", "b"),
        page_kinds=["edit"],
        ratings_per_text=1,
        completion_code="ABCD2345",
    )
    text = study.generations.first()
    text.text += "  Two spaces.\n\nA <b>new</b> paragraph with a\ttab. \n"
    text.save()
    surveys.open_study(study=study)
    return study


@pytest.fixture
def editing(page: Page, live_server, study) -> Page:
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#progress")).to_have_text("3 answers left")
    return page


def seat() -> Seat:
    """The first one."""
    seats = Seat.objects.select_related("survey__study", "survey__prompt")
    return seats.order_by("pk")[0]


def first(page: Page):
    return page.locator("fieldset.editor").first


def test_a_field_holds_the_text_with_every_space_and_paragraph(editing):
    for position, one in originals(seat()).items():
        row = editing.locator(f"#edit-{position}")
        assert row.locator("textarea").evaluate("field => field.value") == one.rest
        original = row.locator("[data-original]").evaluate("span => span.textContent")
        assert original == one.rest


def test_changed_words_are_counted_while_someone_types_as_the_server_counts(editing):
    row, field = first(editing), first(editing).locator("textarea")
    own = originals(seat())[1]
    expect(row.locator(".count")).to_have_text("Words changed: 0")
    for text in (
        f"{own.rest} more",
        f"Some other words {own.rest}",
        own.rest.replace("the", "a"),
        own.rest[len(own.rest) // 2 :],
    ):
        field.fill(text)
        said = f"Words changed: {words.changed(own.rest, text)}"
        expect(row.locator(".count")).to_have_text(said)


def test_what_is_typed_is_saved_and_comes_back(editing):
    field = first(editing).locator("textarea")
    own = originals(seat())[1]
    field.press("Control+End")
    field.type(" So  it\nwas.")
    assert_saved(editing)
    assert Edit.objects.get().rest == f"{own.rest} So  it\nwas."
    editing.reload()
    expect(first(editing).locator("textarea")).to_have_value(f"{own.rest} So  it\nwas.")
    expect(editing.locator("#progress")).to_have_text("2 answers left")


def test_what_was_not_saved_survives_a_reload(editing):
    editing.route("**/answer/", lambda route: route.abort())
    first(editing).locator("textarea").fill("Kept here.")
    second = editing.locator("fieldset.editor").nth(1)
    second.get_by_label("Nothing to correct").check()
    expect(editing.locator("#status")).to_contain_text("Trying again")
    editing.on("dialog", lambda dialog: dialog.accept())
    editing.reload()
    expect(first(editing).locator("textarea")).to_have_value("Kept here.")
    second = editing.locator("fieldset.editor").nth(1)
    expect(second.get_by_label("Nothing to correct")).to_be_checked()
    expect(first(editing).locator(".count")).not_to_have_text("Words changed: 0")
    assert not Edit.objects.exists()
    editing.unroute("**/answer/")
    assert_saved(editing)
    assert Edit.objects.count() == 2


def test_start_again_can_be_taken_back(editing):
    row, field = first(editing), first(editing).locator("textarea")
    own = originals(seat())[1]
    field.press("Control+End")
    field.type(" Mine.")
    mine = f"{own.rest} Mine."
    again = row.get_by_role("button", name="Start again from the original")
    again.click()
    expect(field).to_have_value(own.rest)
    row.get_by_role("button", name="Restore my changes").click()
    expect(field).to_have_value(mine)
    row.get_by_role("button", name="Start again from the original").click()
    field.press("Control+z")  # the browser's own undo
    expect(field).to_have_value(mine)


def test_a_changed_text_cannot_be_one_with_nothing_to_correct(editing):
    row = first(editing)
    tick = row.get_by_label("Nothing to correct")
    tick.check()
    assert_saved(editing)
    row.locator("textarea").press("Control+End")
    row.locator("textarea").type("x")
    expect(tick).not_to_be_checked()
    expect(tick).to_be_disabled()
    row.locator("textarea").press("Backspace")
    expect(tick).to_be_enabled()


@pytest.mark.path
def test_a_page_is_corrected_and_handed_in_by_keyboard_alone(editing):
    items = Item.objects.in_bulk(seat().order)
    for position, one in originals(seat()).items():
        row = editing.locator(f"#edit-{position}")
        if items[one.item_id].negative_id:
            row.locator("textarea").focus()
            editing.keyboard.press("Control+End")
            editing.keyboard.type(" And so on, 123?")
        else:
            row.locator("textarea").focus()
            editing.keyboard.press("Tab")
            editing.keyboard.press("Space")
    expect(editing.locator("#progress")).to_have_text("All answered")
    editing.locator("button.primary").focus()
    here = editing.url
    editing.keyboard.press("Enter")
    editing.wait_for_url(lambda url: url != here)
    assert seat().state == Seat.State.VALID


def test_it_says_which_texts_are_left(editing):
    first(editing).get_by_label("Nothing to correct").check()
    editing.locator("button.primary").click()
    box = editing.locator("#missing")
    expect(box.get_by_role("heading")).to_have_text("Answers missing: 2")
    box.get_by_role("link").first.click()
    expect(editing.locator("#edit-2 textarea")).to_be_focused()


def test_it_looks_right_everywhere(editing):
    first(editing).locator("textarea").fill("Longer " + "words" * 30)
    assert faults(editing) == []


@pytest.mark.parametrize("language", ["de", "ar"])
def test_other_languages_fit_a_narrow_screen(page, live_server, study, language):
    study.language = language
    study.save()
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(live_server.url + study.get_worker_url())
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    expect(page.locator("fieldset.editor").first).to_be_visible()
    first(page).locator("textarea").fill("أحب القراءة")
    assert faults(page) == []


class TestWithoutScript:
    @pytest.fixture
    def plain(self, browser, live_server, study):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(live_server.url + study.get_worker_url())
        page.get_by_label("I have read this").check()
        page.get_by_role("button", name="Start").click()
        yield page
        context.close()

    def test_it_is_a_plain_form(self, plain):
        own = originals(seat())
        plain.locator("button.primary").click()
        expect(plain.locator("#missing")).to_contain_text("Answers missing: 3")
        items = Item.objects.in_bulk(seat().order)
        for position, one in own.items():
            row = plain.locator(f"#edit-{position}")
            if items[one.item_id].negative_id:
                row.locator("textarea").fill(f"{one.rest}\n\nRepaired.")
            else:
                row.get_by_label("Nothing to correct").check()
        plain.locator("button.primary").click()
        plain.wait_for_load_state()
        assert seat().state == Seat.State.VALID
        rests = {e.item_id: e.rest for e in Edit.objects.all()}
        for one in own.values():
            repaired = items[one.item_id].negative_id
            end = "\n\nRepaired." if repaired else ""
            assert rests[one.item_id] == one.rest + end
