"""Conversations are rated on a phone, by keyboard, without script and mirrored."""

from __future__ import annotations

import io
import re

import pytest
from playwright.sync_api import Page, expect

from annotation import imports, surveys
from annotation.models import Annotation, Policy, Seat, Study
from annotation.watching import summary
from tests.annotation import talks
from tests.pages.browsing import faults, violations
from tests.pages.rating import assert_saved, rate
from tests.support import fed

pytestmark = pytest.mark.django_db(transaction=True)

PHONE = {"width": 375, "height": 812}
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def study(alice) -> Study:
    return talks.opened(alice)


def begin(page: Page, base: str, study: Study, worker: str = "") -> Page:
    """To the first page, found by what it is: the words are of any language."""
    page.goto(base + study.get_worker_url() + (f"?worker={worker}" if worker else ""))
    page.locator("#agree").check()
    page.locator("main button.primary").last.click()
    page.locator("#rating").wait_for()
    return page


@pytest.fixture
def at_work(page, live_server, study) -> Page:
    begin(page, live_server.url, study)
    expect(page.locator("#progress")).to_have_text("9 answers left")
    return page


def test_turns_name_who_speaks_and_questions_stand_below_their_turn(at_work):
    page = at_work
    talk = page.locator(".talk").first
    expect(talk.get_by_role("heading", name="Dialogue A")).to_be_visible()
    expect(talk.locator(".said li")).to_have_count(5)
    speakers = talk.locator(".speaker").all_inner_texts()
    assert speakers == ["User", "Assistant", "User", "Assistant", "User"]
    asked = talk.locator(".asked .speaker").all_inner_texts()
    assert asked == ["Assistant", "Assistant"]
    titles = talk.get_by_role("heading", level=3).all_inner_texts()
    assert titles == ["Turn 2", "Turn 4", "The whole dialogue"]
    assert page.problems == []


def test_nothing_tells_the_damaged_dialogue_from_the_others(at_work):
    parts = [
        re.sub(
            r"[A-C]\d?|a-\d+-|-\d+\b|\"\d+\"", "", one.evaluate("one => one.outerHTML")
        )
        for one in at_work.locator(".talk").all()
    ]
    shapes = {re.sub(r">[^<]*<", "><", part) for part in parts}
    assert len(shapes) == 1
    page = at_work.content()
    assert not re.search(r"negative|decoy|damaged", page)


@pytest.mark.path
def test_a_page_by_keyboard_on_a_phone(at_work):
    page = at_work
    page.set_viewport_size(PHONE)
    page.locator("fieldset input").first.focus()
    for digit in "43":
        page.keyboard.press(digit)
    expect(page.locator("#progress")).to_have_text("7 answers left")
    page.reload()
    expect(page.locator("#progress")).to_have_text("7 answers left")
    for row in page.locator("fieldset").all():
        rate(row, 4)
    assert_saved(page)
    assert page.evaluate(TOO_WIDE) <= 0
    page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")
    assert Annotation.objects.count() == 9
    assert page.problems == []


def test_what_is_missing_is_named_by_dialogue_and_turn(at_work):
    page = at_work
    for row in page.locator("fieldset").all()[1:-1]:
        rate(row, 4)
    page.get_by_role("button", name="Submit and continue").click()
    links = page.locator("#missing a")
    turn = "Dialogue A, turn 2: How well does this turn fit what was said before?"
    whole = "Dialogue C as a whole: Does the conversation hold together as a whole?"
    expect(links).to_have_text([turn, whole])
    links.first.click()
    page.keyboard.press("2")
    expect(links).to_have_text([whole])
    assert violations(page) == []
    assert faults(page) == []


def test_the_time_in_view_is_of_the_turns(at_work):
    page = at_work
    page.mouse.move(5, 5)
    page.wait_for_timeout(1200)
    times = page.locator("input[name=visible]").input_value()
    assert re.match(r"1:\d+", times)


def test_it_works_without_script(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = begin(context.new_page(), live_server.url, study)
    for row in page.locator("fieldset").all()[1:]:
        rate(row, 3)
    page.get_by_role("button", name="Submit and continue").click()
    expect(page.locator("#missing a")).to_have_text(
        [re.compile(r"^Dialogue A, turn 2: ")]
    )
    rate(page.locator("fieldset").first, 5)
    page.get_by_role("button", name="Submit and continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")
    context.close()
    assert Seat.objects.filter(state__in=Seat.FINISHED).count() == 1


@pytest.mark.parametrize(("language", "name"), [("de", "Dialog A"), ("ar", "الحوار A")])
def test_it_speaks_the_language_of_the_study(page, live_server, alice, language, name):
    study = imports.run(
        study_name="talks",
        format="jsonl",
        file=io.BytesIO(talks.content()),
        file_name="talks.jsonl",
        owner=alice,
        options={"language": language},
    ).study
    surveys.open_study(study=study)
    study.refresh_from_db()
    begin(page, live_server.url, study)
    page.set_viewport_size({"width": 320, "height": 640})
    expect(page.locator(".talk h2").first).to_have_text(name)
    assert page.evaluate(TOO_WIDE) <= 0
    assert faults(page) == []
    said = page.locator("#texts").inner_text()
    assert not re.search(r"Turn \d|whole|Report", said)
    if language == "ar":
        asked = page.locator(".asked").first
        side = "one => getComputedStyle(one).borderRightWidth"
        assert asked.evaluate(side) == "3px"


def test_fed_like_data_are_rated_on_a_phone_with_alpha_at_both_levels(
    browser, live_server, alice
):
    study = imports.run(
        study_name="fed",
        format="columns",
        file=io.BytesIO(fed.content()),
        file_name="fed.json",
        owner=alice,
        options={"scale": imports.AUTO},
    ).study
    Study.objects.filter(pk=study.pk).update(texts_per_survey=1, seed=4)
    study.refresh_from_db()
    Policy.objects.create(study=study, version=2)  # a browser reads in no time
    surveys.open_study(study=study)
    before = alphas(study)
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = begin(context.new_page(), live_server.url, study)
    hidden = damaged_position(Seat.objects.get())
    for row in page.locator("fieldset").all():
        at = row.get_attribute("id").split("-")[1]
        rate(row, 0 if int(at) == hidden else 1)
    # Two that differ, so that not all are the same.
    rate(page.locator("fieldset").first, 1)
    assert_saved(page)
    assert page.evaluate(TOO_WIDE) <= 0
    page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")
    context.close()
    assert Seat.objects.get(state__in=Seat.FINISHED).state == Seat.State.VALID
    after = alphas(study)
    assert {
        key: found.n_ratings - before[key].n_ratings for key, found in after.items()
    } == {
        "overall": 3,
        "overall-dialogue": 1,
    }
    assert (after["overall"].n_units, after["overall-dialogue"].n_units) == (375, 125)
    assert all(found.value > 0.6 for found in after.values())


def damaged_position(seat: Seat) -> int:
    return seat.order.index(seat.survey.negative.item.pk) + 1


def alphas(study: Study):
    found = summary.agreement(study=study)
    wanted = ("overall", "overall-dialogue")
    return {
        row.aspect.key: dict(row.levels)["ordinal"]
        for row in found
        if row.aspect.key in wanted
    }
