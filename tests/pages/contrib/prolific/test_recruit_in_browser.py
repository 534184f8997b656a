"""The pages Recruit and Emails in a real browser."""

from __future__ import annotations

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from annotation import assigning
from annotation.contrib.mailing import listing
from annotation.models import BonusBatch, Worker
from tests.annotation.seating import NOON, hand_in, hire, lay_out
from tests.pages.browsing import faults, log_in
from tests.support.prolific import TOKEN, Prolific, lost

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def prolific(settings):
    with Prolific().running() as server:
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_URL = TOKEN, server.url
        yield server


@pytest.fixture
def study(make_study):
    study = make_study(
        ratings_per_text=3,
        pay_per_page=Decimal("0.50"),
        currency="GBP",
        platform="prolific",
        contact="lab@example.org",
        instructions="Rate each text.",
    )
    lay_out(study)
    for name in ("ann", "bob"):
        worker = hire(study, name)
        for _ in range(2):
            hand_in(assigning.claim(worker=worker, now=NOON))
    Worker.objects.update(platform="prolific")
    return study


@pytest.fixture
def desk(page, live_server, alice, study):
    log_in(page, live_server.url).base += "/studies/ferry"
    page.asked = []
    page.on(
        "dialog", lambda dialog: (page.asked.append(dialog.message), dialog.accept())
    )
    return page


def press(desk, name: str) -> None:
    desk.get_by_role("button", name=name).click()


@pytest.mark.path
def test_a_study_is_published_approved_and_paid(desk, prolific):
    desk.goto(f"{desk.base}/recruit/")
    assert faults(desk) == []
    press(desk, "Create draft on Prolific")
    desk.locator("#publish-password").fill("alice-password")
    press(desk, "Publish")
    expect(desk.get_by_text("the study is active now")).to_be_visible()
    prolific.joins("ann")
    prolific.joins("bob")
    press(desk, "Refresh")
    press(desk, "Approve 2 people")
    press(desk, "Set up bonuses")
    assert faults(desk) == []
    desk.locator("#pay-password").fill("alice-password")
    press(desk, "Pay now")
    expect(desk.get_by_text("Prolific is paying the bonuses")).to_be_visible()
    assert prolific.bonuses() == {"ann": [50], "bob": [50]}
    assert "2.00 GBP" in desk.asked[0], "what publishing costs at the most"
    assert "2 people, 1.00 GBP, with fees 1.33 GBP" in desk.asked[-1]
    assert faults(desk) == []
    assert desk.problems == []


def test_an_unknown_payment_cannot_be_paid_again(desk, prolific):
    desk.goto(f"{desk.base}/recruit/")
    press(desk, "Create draft on Prolific")
    prolific.joins("ann", "APPROVED")
    press(desk, "Refresh")
    press(desk, "Set up bonuses")
    prolific.next_time("/pay/", lost)
    desk.locator("#pay-password").fill("alice-password")
    press(desk, "Pay now")
    expect(desk.get_by_role("alert")).to_contain_text("Nobody knows yet")
    expect(desk.get_by_role("button", name="Pay now")).to_have_count(0)
    assert faults(desk) == []
    press(desk, "Check with Prolific")
    expect(desk.get_by_text("Prolific shows all these bonuses")).to_be_visible()
    assert BonusBatch.objects.get().state == "paid"
    assert prolific.bonuses() == {"ann": [50]}


def test_emails_are_previewed_before_they_are_sent(desk, study, settings):
    settings.EMAIL_READY = True
    type(study).objects.update(platform="direct")
    study.refresh_from_db()
    people = [listing.Person("Ann", "ann@example.org")]
    listing.add(study=study, people=people, now=NOON)
    desk.goto(f"{desk.base}/mailing/")
    assert faults(desk) == []
    press(desk, "Preview")
    expect(desk.get_by_text("Hello Ann,", exact=False).last).to_be_visible()
    assert faults(desk) == []
    press(desk, "Send 1 email")
    expect(desk.get_by_text("The emails are being sent")).to_be_visible()
    assert study.mailings.get().mails.count() == 1
    assert desk.problems == []
