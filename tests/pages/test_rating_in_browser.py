"""A worker rates in a real browser, with and without script."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotation import surveys
from annotation.models import Annotation, Place, Seat

pytestmark = pytest.mark.django_db(transaction=True)

PHONE = {"width": 320, "height": 640}


@pytest.fixture
def study(make_study):
    """Two pages of one prompt, with the long words that a scale may have."""
    study = make_study(
        prompts=1, samples=2, ratings_per_text=1, completion_code="ABCD2345"
    )
    study.aspects.update(
        question="Do the sentences belong together and make one whole?",
        low="Not at all: they have nothing to do with each other",
        middle="Partly: some sentences do not fit",
        high="Completely: one sentence follows from another",
    )
    surveys.open_study(study=study)
    return study


@pytest.fixture
def worker_page(page, live_server, study):
    """At the first page of the study; notes every request."""
    page.requested = []
    page.on("request", lambda request: page.requested.append(request.url))
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    # The script is deferred: before it has run, keys do nothing.
    expect(page.locator("#progress")).to_have_text("15 of 15 left")
    return page


def answers() -> int:
    return Annotation.objects.count()


def rate(row, value: int) -> None:
    row.locator(f'input[value="{value}"]').click()


def assert_saved(page) -> None:
    expect(page.locator("#status")).to_have_text("Saved just now")


def axe_violations(page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html']} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]


def test_a_whole_study_by_keyboard_and_by_clicking(worker_page):
    page = worker_page
    # Seven answers by keyboard, then a reload.
    page.locator("fieldset input").first.focus()
    for key in "4443332":
        page.keyboard.press(key)
    expect(page.locator("#progress")).to_have_text("8 of 15 left")
    assert_saved(page)
    assert answers() == 7
    page.reload()
    checked = page.locator("input:checked")
    assert [checked.nth(i).get_attribute("value") for i in range(7)] == list("4443332")
    expect(page.locator("#progress")).to_have_text("8 of 15 left")

    # Enter goes to what is open, and submits once nothing is.
    page.locator("fieldset input").first.focus()
    page.keyboard.press("Enter")
    for _ in range(8):
        page.keyboard.press("3")
    expect(page.locator("#progress")).to_have_text("All answered")
    expect(page.get_by_role("button", name="Submit and go on")).to_be_focused()
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
    page.get_by_role("button", name="Submit and go on").click()
    box = page.locator("#missing")
    expect(box).to_be_focused()
    expect(box.get_by_role("heading")).to_have_text("2 answers missing")
    links = box.get_by_role("link")
    expect(links).to_have_text(["Text E: Consistency", "Text E: Relevance"])
    links.last.click()
    page.keyboard.press("2")
    expect(links).to_have_text(["Text E: Consistency"])
    page.keyboard.press("2")
    expect(box).to_be_hidden()
    assert page.problems == []


def test_an_answer_survives_a_broken_connection_and_a_reload(worker_page):
    page = worker_page
    page.route("**/answer/", lambda route: route.abort())
    rate(page.locator("fieldset").first, 4)
    expect(page.locator("#status")).to_contain_text("Retrying")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("input:checked")).to_have_value("4")
    assert answers() == 0

    page.unroute("**/answer/")
    assert_saved(page)
    assert Annotation.objects.get().value == 4


def test_it_warns_before_leaving_only_while_something_is_not_saved(worker_page):
    page = worker_page
    warnings = []

    def note(dialog) -> None:
        warnings.append(dialog.type)
        dialog.accept()

    page.on("dialog", note)
    rate(page.locator("fieldset").first, 4)
    assert_saved(page)
    page.reload()
    assert warnings == []
    page.route("**/answer/", lambda route: route.abort())
    rate(page.locator("fieldset").first, 5)
    expect(page.locator("#status")).to_contain_text("Retrying")
    page.reload()
    assert warnings == ["beforeunload"]


def test_an_answer_changed_while_saving_ends_with_its_last_value(worker_page):
    page = worker_page
    first = page.locator("fieldset").first
    for value in (1, 2, 3, 4, 5, 4, 3, 2):
        rate(first, value)
    assert_saved(page)
    assert Annotation.objects.get().value == 2


def test_a_digit_with_nothing_in_the_frame_rates_nothing(worker_page):
    worker_page.keyboard.press("3")
    expect(worker_page.locator("fieldset input").first).to_be_focused()
    expect(worker_page.locator("input:checked")).to_have_count(0)


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
    expect(page.get_by_role("heading", level=1)).to_have_text("Your answers are kept")
    page.goto(page.locator("output").inner_text())
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("input:checked")).to_have_value("4")


def test_the_page_is_light(page, live_server, study):
    sizes = []
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.on("response", lambda response: sizes.append(response))
    page.get_by_role("button", name="Start").click()
    page.wait_for_load_state("networkidle")
    loaded = [response for response in sizes if response.status == 200]
    assert len(loaded) <= 10
    assert sum(len(response.body()) for response in loaded) <= 100_000


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE])
def test_axe_finds_nothing(worker_page, theme, size):
    page = worker_page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size(size)
    rate(page.locator("fieldset").first, 4)
    page.get_by_role("button", name="Submit and go on").click()
    assert_saved(page)
    assert axe_violations(page) == []


def test_axe_finds_nothing_on_the_pages_around_it(page, live_server, study):
    page.goto(live_server.url + study.get_worker_url())
    assert axe_violations(page) == []
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Leave").click()
    assert axe_violations(page) == []
    Place.objects.filter(free=True).update(free=False)
    page.get_by_role("link", name="Go on now").click()
    for row in page.locator("fieldset").all():
        rate(row, 3)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert axe_violations(page) == []


def test_nothing_is_wider_than_a_small_phone(worker_page):
    page = worker_page
    page.set_viewport_size(PHONE)
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]


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
    expect(page.locator("#missing")).to_contain_text("1 answer missing")
    expect(page.locator("#missing")).to_be_focused()
    page.get_by_role("link", name="Text A: Coherence").click()
    rate(page.locator("fieldset").first, 3)
    page.get_by_role("button", name="Submit and stop here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    context.close()
    assert answers() == 15


def test_nothing_of_a_system_reaches_the_browser(worker_page):
    seen = worker_page.content() + json.dumps(worker_page.requested)
    assert "ferry" not in seen.replace("The ferry", "")
    assert "negative" not in seen
