"""The pages about workers, and the way out of a study, in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation import answering, assigning, events
from annotation.models import Annotation, Worker
from annotation.watching import reports
from tests.annotation.seating import hire, lay_out
from tests.annotation.seating import page as full
from tests.pages.browsing import faults, log_in
from tests.pages.working import worker_page

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study):
    """Three careful pages of one worker, one of them reported, and someone at work."""
    study = make_study(prompts=4, completion_code="C0DE")
    lay_out(study)
    worker, now = hire(study, "w1"), timezone.now()
    for _ in range(3):
        seat = assigning.claim(worker=worker, now=now)
        answering.submit(seat=seat, answers=full(seat), now=now)
    reports.report(seat=seat, position=1, reason="It insults.", now=now)
    reports.report(seat=seat, position=2, reason="It insults, too.", now=now)
    assigning.claim(worker=hire(study, "w2"), now=now)
    return study


@pytest.fixture
def desk(page, live_server, alice, study):
    """A browser in which alice is logged in."""
    log_in(page, live_server.url).base += "/studies/ferry"
    return page


def test_axe_finds_nothing_and_nothing_is_overflow(desk):
    worker = worker_page(Worker.objects.get(external_id="w1"))
    found = {}
    for part in ("workers", "monitor", "reports", "log", worker.rstrip("/")):
        desk.goto(f"{desk.base}/{part}/")
        found[part] = faults(desk)
    assert found == dict.fromkeys(found, [])
    assert desk.problems == []


@pytest.mark.path
def test_freeing_a_seat_asks_once_and_names_what_happens(desk):
    asked = []
    desk.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    desk.goto(f"{desk.base}/monitor/")
    desk.get_by_role("button", name="Free the seat of").click()
    expect(desk.get_by_text("Nobody is rating right now")).to_be_visible()
    assert len(asked) == 1 and "opens for others at once" in asked[0]


def test_the_monitor_refreshes_itself_in_place(desk, study):
    desk.clock.install()
    desk.goto(f"{desk.base}/monitor/")
    expect(desk.get_by_role("button", name="Free the seat of")).to_have_count(1)
    assigning.claim(worker=hire(study, "w3"), now=timezone.now())
    desk.clock.run_for(16_000)
    expect(desk.get_by_role("button", name="Free the seat of")).to_have_count(2)
    assert desk.problems == []


def test_numbers_sort_as_numbers_with_what_does_not_exist_at_the_end(desk):
    desk.goto(f"{desk.base}/workers/")
    desk.get_by_role("button", name="Spread").click()
    cells = desk.locator("tbody tr td:nth-child(11)").all_inner_texts()
    assert cells[0] != cells[-1] and "—" in cells[-1]


def test_times_sort_by_time_and_name_their_zone(browser, live_server, alice, study):
    # As words, "9 Nov" would come after "22 Nov", and "Dec" before both.
    for day in (9, 22):
        at = datetime(2026, 11, day, 23, 30, tzinfo=UTC)
        events.log(study=study, verb="paused", about=f"day {day}", now=at)
    at = datetime(2026, 12, 1, 12, tzinfo=UTC)
    events.log(study=study, verb="paused", about="december", now=at)
    study.events.exclude(verb="paused").delete()
    context = browser.new_context(timezone_id="Europe/Berlin", locale="en-GB")
    page = log_in(context.new_page(), live_server.url)
    page.goto(f"{page.base}/studies/ferry/log/")
    page.get_by_role("button", name="When").click()
    about = page.locator("tbody tr td:nth-child(3)")
    assert about.all_inner_texts() == ["day 9", "day 22", "december"]
    first = page.locator("tbody time").first
    assert first.inner_text() == "10 Nov 2026, 00:30 CET"
    assert first.get_attribute("title") == "9 Nov 2026, 23:30 UTC"
    context.close()


def own_link(live_server, study) -> str:
    """To come back by, with the personal code."""
    code = study.workers.get(external_id="w1").personal_code
    return f"{live_server.url}/w/{study.public_id}/?worker=w1&code={code}"


def test_a_worker_takes_their_answers_back_without_scripts(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(own_link(live_server, study))
    page.goto(f"{live_server.url}/w/{study.public_id}/done/")
    page.get_by_role("link", name="take your answers back").click()
    page.get_by_role("button", name="Delete my answers").click()
    expect(page.get_by_role("heading", name="You have left this study")).to_be_visible()
    expect(page.get_by_text("C0DE")).to_be_visible()
    context.close()
    assert not Annotation.objects.filter(seat__worker__state="withdrawn").exists()
    assert not Annotation.objects.exists()


def test_axe_finds_nothing_where_answers_are_taken_back(page, live_server, study):
    page.goto(own_link(live_server, study))
    page.goto(f"{live_server.url}/w/{study.public_id}/withdraw/")
    assert faults(page) == []
    page.get_by_role("button", name="Delete my answers").click()
    page.get_by_role("heading", name="You have left this study").wait_for()
    assert faults(page) == []
    assert page.problems == []
