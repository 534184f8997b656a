from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation import assigning
from annotation.models import Recruitment, Seat, Study, Worker
from annotation.watching import payments
from tests.annotation.seating import NOON, hand_in, hire, lay_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study, as_alice):
    """Ann: two pages, both used. Bob: one, discarded. Cid: a page not submitted."""
    study = make_study(ratings_per_text=3, pay_per_page=Decimal("0.50"))
    lay_out(study)
    ann = hire(study, "ann")
    for _ in range(2):
        hand_in(assigning.claim(worker=ann, now=NOON))
    hand_in(sit(study, "bob"), careful=False)
    sit(study, "cid")
    return study


def lines(client, study, which, **query) -> list[str]:
    answer = client.get(reverse("payment_list", args=[study.name, which]), query)
    assert answer["Content-Type"].startswith("text/csv")
    return answer.content.decode().splitlines()


def page(client, study, **query) -> str:
    answer = client.get(reverse("study_payments", args=[study.name]), query)
    return answer.content.decode()


def test_who_handed_in_a_page_is_approved_used_or_not(client, study):
    assert lines(client, study, "approve") == ["ann", "bob"]
    assert lines(client, study, "reject") == []
    assert "Think twice" not in page(client, study)


def test_where_only_careful_work_is_paid_the_others_can_be_rejected(client, study):
    Study.objects.update(pay_unused=False)
    assert lines(client, study, "approve") == ["ann"]
    assert lines(client, study, "reject") == ["bob"]
    assert "Think twice before you reject" in page(client, study)


def test_a_surplus_page_passed_the_checks(study):
    Seat.objects.filter(state=Seat.State.DISCARDED).update(state=Seat.State.SURPLUS)
    study.pay_unused = False
    assert [due.paid for due in payments.dues(study=study)] == [2, 1]


def test_the_reward_pays_one_page_and_the_bonus_the_others(client, study):
    assert lines(client, study, "bonus") == ["ann,0.50"]
    assert "0.50 USD" in page(client, study)


def test_another_reward_leaves_another_bonus(client, study):
    assert lines(client, study, "bonus", reward="0.30") == ["ann,0.70", "bob,0.20"]
    assert "0.90 USD" in page(client, study, reward="0.30")
    assert "?reward=0.30" in page(client, study, reward="0.30")
    assert lines(client, study, "bonus", reward="9") == []


def test_the_reward_at_prolific_is_the_usual_one(client, study):
    Recruitment.objects.create(study=study, prolific_id="x", reward=30)
    assert lines(client, study, "bonus") == ["ann,0.70", "bob,0.20"]
    assert 'value="0.3"' in page(client, study)


def test_a_reward_that_is_no_amount_is_said_so(client, study):
    assert "Enter a number" in page(client, study, reward="much")


def test_without_pay_there_is_no_bonus(client, study):
    Study.objects.update(pay_per_page=None)
    assert lines(client, study, "bonus") == []
    assert "has no pay per page" in page(client, study)


def test_ids_stand_in_the_files_only(client, study):
    said = re.sub("<[^>]*>", "", page(client, study))  # addresses have "ann" in them
    assert not any(name in said for name in ("ann", "bob", "cid"))


def test_who_cannot_be_named_any_more_is_on_no_list(client, study):
    Worker.objects.filter(external_id="ann").update(external_id="forgotten-1")
    assert lines(client, study, "approve") == ["bob"]
    assert "1 person with submitted pages is on no list" in page(client, study)


def test_on_mechanical_turk_assignments_are_approved(client, study):
    Study.objects.update(platform="mturk")
    Worker.objects.update(platform="mturk")
    Worker.objects.filter(external_id="ann").update(arrival={"assignmentId": "3A"})
    assert lines(client, study, "approve") == ["3A", "bob"]
    assert lines(client, study, "bonus") == ["ann,3A,0.50"]


def test_on_sona_credit_is_listed_and_no_money(client, study):
    Study.objects.update(platform="sona")
    Worker.objects.update(platform="sona")
    assert lines(client, study, "approve") == ["ann", "bob"]
    assert lines(client, study, "bonus") == []
    said = page(client, study)
    assert "Grant credit" in said and "enter its Completion URL" in said
    assert "Bonus" not in said and "USD" not in said


def test_on_connect_people_are_named_by_their_own_id(client, study):
    Study.objects.update(platform="connect")
    Worker.objects.update(platform="connect")
    Worker.objects.filter(external_id="ann").update(arrival={"assignmentId": "3A"})
    assert lines(client, study, "approve") == ["ann", "bob"]
    assert lines(client, study, "bonus") == ["ann,0.50"]


def test_there_are_no_other_lists(client, study):
    assert (
        client.get(reverse("payment_list", args=[study.name, "workers"])).status_code
        == 404
    )
