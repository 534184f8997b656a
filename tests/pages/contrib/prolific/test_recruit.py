"""The page Recruit, button by button, with a server that behaves like Prolific."""

from __future__ import annotations

from decimal import Decimal

import pytest

from annotation import assigning
from annotation.models import BonusBatch, Member, Recruitment, Worker
from tests.annotation.seating import NOON, hand_in, hire, lay_out
from tests.support.prolific import TOKEN, Prolific, lost

pytestmark = pytest.mark.django_db


@pytest.fixture
def prolific(settings):
    with Prolific().running() as server:
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_URL = TOKEN, server.url
        yield server


@pytest.fixture
def study(make_study, as_alice, prolific):
    study = make_study(
        ratings_per_text=3,
        pay_per_page=Decimal("0.50"),
        currency="GBP",
        platform="prolific",
        instructions="# Read\n\n**Rate** each text.",
    )
    lay_out(study)
    ann = hire(study, "ann")
    for _ in range(2):
        hand_in(assigning.claim(worker=ann, now=NOON))
    Worker.objects.update(platform="prolific")
    return study


def page(client, study) -> str:
    return client.get(f"/studies/{study.name}/recruit/").content.decode()


def press(client, study, what, **given) -> str:
    given = {"password": "alice-password", **given}
    url = f"/studies/{study.name}/recruit/{what}/"
    return client.post(url, given, follow=True).content.decode()


DRAFT = {
    "description": "Rate texts.",
    "places": 4,
    "minutes": 5,
    "reward": "0.50",
    "devices": ["desktop"],
}


def test_from_a_draft_to_paid_bonuses(client, study, prolific):
    said = page(client, study)
    assert "Read\nRate each text." in said, "filled in from the instructions"
    assert "The draft is on Prolific" in press(client, study, "draft", **DRAFT)
    (made,) = prolific.studies.values()
    assert made["external_study_url"].startswith("http://testserver/w/")
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in made["external_study_url"]
    assert "costs 2.67 GBP with fees" in page(client, study)
    assert "the study is active now" in press(client, study, "move/publish")
    prolific.joins("ann")
    assert "Approve 1 person" in press(client, study, "refresh")
    assert "approving 1 submission." in press(client, study, "approve")
    said = press(client, study, "bonuses")
    assert "1 person, 0.50 GBP, with fees 0.66 GBP" in said
    batch = BonusBatch.objects.get()
    wrong = press(client, study, "bonuses/pay", batch=batch.pk, total="0.01")
    assert "The amounts have changed" in wrong and "Pay now" in wrong
    total = "1 person, 0.50 GBP, with fees 0.66 GBP"
    said = press(client, study, "bonuses/pay", batch=batch.pk, total=total)
    assert "Prolific is paying the bonuses" in said
    said = press(client, study, "bonuses/pay", batch=batch.pk, total=total)
    assert "Somebody has paid this already" in said
    assert prolific.bonuses() == {"ann": [50]}


def test_without_the_password_nothing_is_published_or_paid(client, study, prolific):
    press(client, study, "draft", **DRAFT)
    said = press(client, study, "move/publish", password="")
    assert "Enter your password" in said
    press(client, study, "move/publish")
    prolific.joins("ann", "APPROVED")
    press(client, study, "refresh")
    press(client, study, "bonuses")
    batch = BonusBatch.objects.get()
    given = {"batch": batch.pk, "total": "1 person, 0.50 GBP, with fees 0.66 GBP"}
    said = press(client, study, "bonuses/pay", password="wrong", **given)
    assert "The password is wrong" in said
    batch.refresh_from_db()
    assert (batch.state, prolific.bonuses()["ann"]) == ("ready", [])


def test_an_editor_who_may_not_spend_is_told_so(client, study, prolific, bob):
    Member.objects.create(study=study, user=bob, role="editor")
    client.force_login(bob)
    shown = page(client, study)
    assert "Ask your administrator for permission to spend" in shown
    assert "Create draft" not in shown
    assert "may not spend" in press(client, study, "draft", **DRAFT)
    assert not prolific.studies


def test_an_unknown_payment_is_shown_and_checked(client, study, prolific):
    press(client, study, "draft", **DRAFT)
    prolific.joins("ann", "APPROVED")
    press(client, study, "bonuses")
    batch = BonusBatch.objects.get()
    prolific.next_time("/pay/", lost)
    total = "1 person, 0.50 GBP, with fees 0.66 GBP"
    said = press(client, study, "bonuses/pay", batch=batch.pk, total=total)
    assert "Nobody knows yet whether these bonuses are paid" in said
    assert "Pay now" not in said and "Nothing was paid" not in said
    said = press(client, study, "bonuses/check", batch=batch.pk)
    assert "Prolific shows all these bonuses" in said
    assert prolific.bonuses() == {"ann": [50]}


def test_what_prolific_refuses_is_said_and_escaped(client, study, prolific):
    said = press(client, study, "draft", **{**DRAFT, "reward": "0.05"})
    assert "Pay at least 10 &lt;b&gt;pence" in said
    assert "<b>pence" not in said


def test_ids_of_people_stand_nowhere_on_the_page(client, study, prolific):
    press(client, study, "draft", **DRAFT)
    prolific.joins("ann")
    said = press(client, study, "refresh")
    assert "sub1" not in said and ">ann<" not in said


def test_without_a_token_the_page_says_what_to_do(client, study, settings):
    settings.PROLIFIC_TOKEN = ""
    said = page(client, study)
    assert "PROLIFIC_TOKEN" in said and "Create draft" not in said
    assert "set PROLIFIC_TOKEN" in press(client, study, "refresh")


def test_a_viewer_sees_neither_the_page_nor_its_buttons(client, study, prolific, bob):
    study.members.create(user=bob, role="viewer")
    client.force_login(bob)
    assert client.get(f"/studies/{study.name}/recruit/").status_code == 403
    answer = client.post(f"/studies/{study.name}/recruit/draft/", DRAFT)
    assert answer.status_code == 403
    assert prolific.calls == []


def test_in_an_archived_study_nothing_is_sent(client, study, prolific):
    press(client, study, "draft", **DRAFT)
    n = len(prolific.calls)
    type(study).objects.update(archived_at=NOON)
    press(client, study, "move/publish")
    assert len(prolific.calls) == n


def test_a_rejection_needs_a_reason(client, study, prolific):
    type(study).objects.update(pay_unused=False)
    press(client, study, "draft", **DRAFT)
    Worker.objects.get(external_id="ann").seats.update(state="discarded")
    prolific.joins("ann")
    assert "Reject w-" in press(client, study, "refresh")
    pk = Recruitment.objects.get().submissions.get().pk
    given = {"category": "LOW_EFFORT", "reason": "Bad."}
    said = press(client, study, f"reject/{pk}", **given)
    assert "at least 100 characters" in said
    given["reason"] = "Each page was answered within two seconds. " * 3
    said = press(client, study, f"reject/{pk}", **given)
    assert "The submission is rejected" in said
    assert prolific.people[0]["status"] == "REJECTED"


@pytest.mark.parametrize("batch", ["", "x", "9" * 30, "99"])
def test_a_batch_that_is_none_is_not_found(client, study, prolific, batch):
    answer = client.post(
        f"/studies/{study.name}/recruit/bonuses/pay/", {"batch": batch}
    )
    assert answer.status_code == 404
