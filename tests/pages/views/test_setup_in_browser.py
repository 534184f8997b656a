"""Setting a study up, and practising, in a real browser."""

from __future__ import annotations

import pytest

from annotation import surveys
from annotation.crowd import practice
from annotation.crowd.practice import Text
from tests.pages.browsing import log_in, overflow, violations

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = Text("The ferry left. It came back.", {"coherence": (4, 5)}, "It is whole.")
BAD = Text("Bread the. Gulls seven.", {"coherence": (1, 2)}, "It falls apart.")


@pytest.fixture
def researcher(page, live_server, alice):
    return log_in(page, live_server.url)


@pytest.mark.path
def test_words_are_previewed_in_place_and_enter_saves(researcher, make_study):
    page, study = researcher, make_study()
    page.goto(f"{page.base}/studies/ferry/settings/")
    page.get_by_label("Instructions").fill("# Read first\n\n- **all** of it")
    page.get_by_role("button", name="Preview of instructions").click()
    shown = page.locator("#preview-instructions")
    shown.get_by_role("heading", name="Read first").wait_for()
    study.refresh_from_db()
    assert study.instructions == ""
    page.get_by_label("Title", exact=False).first.fill("Short texts")
    page.keyboard.press("Enter")  # not the preview, though its button comes first
    page.wait_for_selector("text=Settings saved")
    study.refresh_from_db()
    assert (study.title, study.instructions[:6]) == ("Short texts", "# Read")
    assert page.problems == []


def test_made_links_are_accessible(researcher, make_study):
    page = researcher
    make_study()
    page.goto(f"{page.base}/studies/ferry/invites/")
    page.get_by_label("People to invite").fill("Ada\nGrace")
    page.get_by_role("button", name="Create links").click()
    assert "invite=" in page.get_by_label("Ada", exact=True).input_value()
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert overflow(page) == 0
    assert page.problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_practice_by_keyboard_alone_without_a_script(
    browser, live_server, make_study, theme
):
    study = make_study()
    practice.define(
        study=study, prefix="At sea.", label="sad", attempts=2, texts=[GOOD, BAD]
    )
    surveys.open_study(study=study)
    context = browser.new_context(java_script_enabled=False, color_scheme=theme)
    page = context.new_page()
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").press("Space")
    page.get_by_role("button", name="Start").press("Enter")
    for good, bad in ((3, 1), (4, 2)):
        for text, value in (("A", good), ("B", bad)):
            card = page.get_by_role("region", name=f"Text {text}")
            for group in card.get_by_role("group").all():
                group.get_by_role("radio").nth(value - 1).press("Space")
        page.get_by_role("button", name="Check my answers").press("Enter")
        if bad == 1:
            page.get_by_text("a careful reader would answer 4 or 5").wait_for()
            page.get_by_role("link", name="Try again").press("Enter")
    page.get_by_text("You passed the practice page").wait_for()
    page.get_by_role("button", name="Go to the first page").press("Enter")
    assert "/w/seat/" in page.url
    context.close()


def test_every_step_of_practice_is_accessible_and_narrow(page, live_server, make_study):
    study = make_study()
    practice.define(study=study, prefix="", label="", attempts=2, texts=[GOOD, BAD])
    surveys.open_study(study=study)
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Practice").wait_for()
    assert (violations(page), overflow(page)) == ([], 0)
    for radio in page.get_by_role("radio", name="3").all():
        radio.check()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_text("Some of your answers differ").wait_for()
    assert (violations(page), overflow(page)) == ([], 0)
    assert page.problems == []


def test_a_random_part_is_chosen_and_said_on_setup(researcher, make_study):
    page, study = researcher, make_study(prompts=10)
    page.goto(f"{page.base}/studies/ferry/settings/#amount")
    page.get_by_label("Percent of the texts to rate").fill("50")
    page.get_by_label("Drawn at random from").select_option("simple")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Settings saved")
    study.refresh_from_db()
    assert (study.rated_share, study.share_of) == (50, "simple")
    assert violations(page) == []
    page.goto(f"{page.base}/studies/ferry/setup/")
    page.wait_for_selector("text=20 of 40 texts of 4 systems, drawn at random")
    assert page.problems == []
