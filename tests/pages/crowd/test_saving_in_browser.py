"""No answer is lost: the network goes and comes, the server refuses, time passes."""

from __future__ import annotations

import json
import re

import pytest
from django.db import OperationalError
from playwright.sync_api import expect

from annotation import answering
from annotation.models import Annotation, Place, Seat
from tests.pages.browsing import until, violations
from tests.pages.rating import (
    answers,
    assert_saved,
    begin,
    rate,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.path
def test_an_answer_survives_a_broken_connection_and_a_reload(worker_page):
    page = worker_page
    page.route("**/answer/", lambda route: route.abort())
    rate(page.locator("fieldset").first, 4)
    expect(page.locator("#status")).to_contain_text("Trying again")
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
    expect(page.locator("#status")).to_contain_text("Trying again")
    page.reload()
    assert warnings == ["beforeunload"]


def test_an_answer_changed_while_saving_ends_with_its_last_value(worker_page):
    page = worker_page
    first = page.locator("fieldset").first
    for value in (1, 2, 3, 4, 5, 4, 3, 2):
        rate(first, value)
    assert_saved(page)
    assert Annotation.objects.get().value == 2


def refuse(page, status: int | None = None) -> None:
    """Answers do not arrive any more, or are turned down."""
    if status is None:
        page.route("**/answer/", lambda route: route.abort())
    else:
        page.route("**/answer/", lambda route: route.fulfill(status=status))


def test_an_answer_that_meets_a_full_disk_is_sent_again(worker_page, monkeypatch):
    page = worker_page
    save, calls = answering.save_all, []

    def full(**kwargs):
        calls.append(kwargs)
        if len(calls) == 1:
            raise OperationalError("database or disk is full")
        return save(**kwargs)

    monkeypatch.setattr(answering, "save_all", full)
    with page.expect_response("**/answer/") as answer:
        rate(page.locator("fieldset").first, 4)
    assert answer.value.status == 503
    assert_saved(page)
    assert Annotation.objects.get().value == 4


def test_answers_given_without_a_network_are_there_when_it_is_back(worker_page):
    page = worker_page
    page.on("dialog", lambda dialog: dialog.accept())
    address = page.url
    page.context.set_offline(True)
    for row in page.locator("fieldset").all()[:3]:
        rate(row, 4)
    expect(page.locator("#status")).to_contain_text("Trying again")
    with pytest.raises(Exception, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    page.context.set_offline(False)
    page.goto(address)
    expect(page.locator("input:checked")).to_have_count(3)
    # Not "Saved just now": the browser may have come back, and saved, by itself before.
    assert until(page, "() => Object.keys(localStorage).length === 0")
    assert answers() == 3


def test_all_that_waited_goes_in_one_request(worker_page):
    page = worker_page
    page.context.set_offline(True)
    for row in page.locator("fieldset").all()[:7]:
        rate(row, 4)
    expect(page.locator("#status")).to_contain_text("Trying again")
    page.requested.clear()
    page.context.set_offline(False)
    assert_saved(page)
    assert sum(url.endswith("/answer/") for url in page.requested) == 1
    assert answers() == 7


def test_who_cannot_save_for_long_may_take_the_answers_along(worker_page):
    page = worker_page
    refuse(page)
    rate(page.locator("fieldset").first, 4)
    trouble = page.get_by_role("alert")
    expect(trouble).to_contain_text("can't reach the server")
    expect(trouble).to_contain_text("lab@example.org")
    assert violations(page) == []
    with page.expect_download() as download:
        trouble.get_by_role("button", name="Download my answers").click()
    assert download.value.suggested_filename == "answers-page-1.json"
    taken = json.loads(download.value.path().read_text())
    assert taken["page"] == str(Seat.objects.get().public_id)
    assert taken["fields"]["a-1-coherence"] == "4"
    assert "csrfmiddlewaretoken" not in taken["fields"]

    page.unroute("**/answer/")
    trouble.get_by_role("button", name="Try again now").click()
    assert_saved(page)
    expect(trouble).to_be_hidden()
    assert answers() == 1


def test_a_refusal_says_how_to_come_back_and_then_nothing_is_lost(worker_page):
    page = worker_page
    refuse(page, 403)
    rate(page.locator("fieldset").first, 4)
    expect(page.get_by_role("alert")).to_contain_text("Open the link")
    expect(page.get_by_role("button", name="Try again now")).to_be_hidden()
    rate(page.locator("fieldset").nth(1), 5)
    page.unroute("**/answer/")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    assert_saved(page)
    assert list(Annotation.objects.values_list("value", flat=True)) == [4, 5]


def test_a_page_that_was_handed_in_elsewhere_says_so(worker_page):
    page = worker_page
    Seat.objects.update(state=Seat.State.VALID)
    rate(page.locator("fieldset").first, 4)
    page.get_by_role("link", name="See what happened").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page 1 is submitted")


def test_a_refused_answer_is_never_called_saved(worker_page):
    page = worker_page
    Seat.objects.update(state=Seat.State.VALID)
    rate(page.locator("fieldset").first, 4)
    expect(page.get_by_role("alert")).to_contain_text("are not saved")
    expect(page.locator("fieldset input:enabled")).to_have_count(0)
    expect(page.get_by_role("button", name="Submit and continue")).to_be_disabled()
    page.keyboard.press("5")
    page.wait_for_timeout(300)  # "Saved just now" came at once
    expect(page.locator("#status")).to_have_text("Not saved")
    assert answers() == 0
    assert violations(page) == []
    page.get_by_role("link", name="See what happened").click()  # without a warning
    expect(page.get_by_role("heading", level=1)).to_have_text("Page 1 is submitted")


def test_who_only_reads_a_page_that_is_over_is_told(slow_page):
    Seat.objects.update(state=Seat.State.VALID)
    slow_page.clock.run_for(59_000)
    slow_page.mouse.move(100, 100)
    slow_page.clock.run_for(2_000)
    expect(slow_page.get_by_role("alert")).to_contain_text("takes no more answers")


# Without a network --------------------------------------------------------------------


def fill(page) -> None:
    for row in page.locator("fieldset").all():
        rate(row, 4)


def not_sent(page):
    return page.get_by_text("Not sent yet. Trying again").last


def test_a_page_submitted_without_a_network_is_sent_when_it_is_back(worker_page):
    page, address = worker_page, worker_page.url
    page.context.set_offline(True)
    fill(page)
    page.get_by_role("button", name="Submit and continue").click()
    expect(not_sent(page)).to_be_visible()
    expect(page.locator("#status")).to_contain_text("Not sent yet. Trying again")
    assert page.url == address
    assert answers() == 0
    expect(page.locator("input:checked")).to_have_count(15)
    rate(page.locator("fieldset").first, 2)  # goes along
    assert violations(page) == []
    page.context.set_offline(False)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")
    assert answers() == 15
    assert Seat.objects.first().annotations.filter(value=2).count() == 1
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_it_tries_again_when_the_server_is_down(worker_page):
    page = worker_page
    page.route("**/submit/", lambda route: route.fulfill(status=503))
    fill(page)
    assert_saved(page)
    page.get_by_role("button", name="Submit and stop here").click()
    expect(not_sent(page)).to_be_visible()
    page.unroute("**/submit/")
    page.get_by_role("button", name="Try again now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Finish now?")


def test_it_warns_before_leaving_while_a_page_is_not_sent(worker_page):
    page = worker_page
    warnings = []

    def note(dialog) -> None:
        warnings.append(dialog.type)
        dialog.accept()

    page.on("dialog", note)
    page.route("**/submit/", lambda route: route.abort())
    fill(page)
    assert_saved(page)
    page.get_by_role("button", name="Submit and continue").click()
    expect(not_sent(page)).to_be_visible()
    page.reload()
    assert warnings == ["beforeunload"]


def test_a_button_pressed_meanwhile_takes_the_place_of_the_first(worker_page):
    page = worker_page
    page.route("**/seat/**", lambda route: route.abort())
    fill(page)
    page.get_by_role("button", name="Submit and continue").click()
    expect(not_sent(page)).to_be_visible()
    page.unroute("**/seat/**")
    page.get_by_role("button", name="Leave and keep my place").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your answers are saved")
    assert (answers(), Seat.objects.get().state) == (15, Seat.State.CLAIMED)


@pytest.mark.parametrize("what", ["report", "leave"])
def test_neither_a_report_nor_leaving_needs_the_network_at_once(worker_page, what):
    page, address = worker_page, worker_page.url
    card = page.locator("#text-B")
    page.get_by_text("Add a comment").click()
    page.get_by_label("Anything we should know").fill("It rains.")
    page.context.set_offline(True)
    if what == "report":
        card.get_by_text("Report a problem").click()
        card.get_by_role("textbox").fill("It names a person.")
        card.get_by_role("button", name="Send report").click()
    else:
        page.get_by_role("button", name="Leave and keep my place").click()
    expect(not_sent(page)).to_be_visible()
    assert page.url == address
    page.context.set_offline(False)
    if what == "report":
        expect(card.get_by_text("You reported this text")).to_be_in_viewport()
    else:
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Your answers are saved"
        )
    assert Seat.objects.get().comment == "It rains."


def test_starting_without_a_network_waits_for_it(page, live_server, study):
    page.goto(live_server.url + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.context.set_offline(True)
    page.get_by_role("button", name="Start").click()
    expect(not_sent(page)).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#progress")).to_have_text("15 answers left")


# Time in view -------------------------------------------------------------------------


def times(page) -> dict[str, int]:
    pairs = page.locator("[name=visible]").input_value().split()
    return {at: int(ms) for at, ms in (pair.split(":") for pair in pairs)}


def test_only_what_is_in_view_is_read(worker_page):
    page = worker_page
    expect(page.locator("[name=visible]")).to_have_value(re.compile("1:"))
    rate(page.locator("fieldset").first, 4)
    assert_saved(page)
    kept = Seat.objects.get().visible
    assert kept["1"] > 0
    assert "5" not in kept

    page.locator("#text-E .text").scroll_into_view_if_needed()
    expect(page.locator("[name=visible]")).to_have_value(re.compile("5:"))
    rate(page.locator("#text-E fieldset").last, 4)
    assert_saved(page)
    assert Seat.objects.get().visible["5"] > 0


@pytest.fixture
def slow_page(page, live_server, study):
    """At the rating page; its clock stands still until a test moves it."""
    page.clock.install()
    begin(page, live_server.url, study)
    # What is in view is told between two frames.
    page.evaluate("() => new Promise((go) => requestAnimationFrame(go))")
    return page


def test_a_page_left_alone_is_not_read_for_ever(slow_page):
    slow_page.clock.run_for(10_000)
    first = times(slow_page)["1"]
    slow_page.clock.run_for(300_000)
    assert first < times(slow_page)["1"] < 60_000
    slow_page.mouse.move(100, 100)
    before = times(slow_page)["1"]
    slow_page.clock.run_for(5_000)
    assert times(slow_page)["1"] > before


def test_instructions_over_the_page_are_not_its_texts(slow_page):
    slow_page.clock.run_for(1_000)
    slow_page.get_by_role("link", name="Instructions").click()
    before = times(slow_page)
    slow_page.clock.run_for(5_000)
    assert times(slow_page) == before


def test_who_only_reads_keeps_the_place(slow_page):
    page, lease = slow_page, Place.objects.exclude(lease_until=None).get().lease_until
    page.clock.run_for(59_000)
    page.mouse.move(100, 100)
    with page.expect_response("**/answer/") as response:
        page.clock.run_for(2_000)
    assert response.value.status == 204
    assert Place.objects.exclude(lease_until=None).get().lease_until > lease
    assert Seat.objects.get().visible["1"] > 0
    expect(page.locator("#status")).to_be_empty()
