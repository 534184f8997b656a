"""Who may spend at Prolific, and how much."""

from __future__ import annotations

import pytest

from annotation.contrib.prolific import approving, budget, drafting, matching, paying
from annotation.contrib.prolific.errors import BudgetError
from annotation.crowd.prolific_client import Refused, Unknown
from annotation.models import BonusBatch, Recruitment
from evalapp.spending import budgets
from tests.annotation.contrib.prolific.test_drafting import WANTED
from tests.annotation.seating import NOON
from tests.support.prolific import lost, says

pytestmark = pytest.mark.django_db

COST = 267  # pence, of WANTED with fees


@pytest.fixture
def drafted(study, client_of_prolific):
    drafting.create(study=study, wanted=WANTED, client=client_of_prolific, now=NOON)
    return study


@pytest.fixture
def publish(drafted, client_of_prolific, alice):
    def transition(action="PUBLISH", user=alice, now=NOON):
        return drafting.transition(
            study=drafted, action=action, client=client_of_prolific, now=now, user=user
        )

    return transition


def spent(study) -> int:
    return budgets.spent(purpose="prolific GBP", scope=budgets.of_study(study.pk))


class TestPermission:
    def test_without_it_nothing_that_costs_money_is_sent(
        self, recruited, prolific, client_of_prolific, bob
    ):
        given = {"study": recruited, "client": client_of_prolific, "now": NOON}
        for work in (
            lambda: drafting.create(wanted=WANTED, user=bob, **given),
            lambda: drafting.transition(action="PUBLISH", user=bob, **given),
            lambda: drafting.transition(action="START", user=bob, **given),
            lambda: approving.approve(user=bob, **given),
            lambda: paying.set_up(user=bob, **given),
        ):
            with pytest.raises(BudgetError):
                work()
        assert prolific.times("") == 0

    def test_without_it_a_batch_is_not_paid(
        self, recruited, prolific, client_of_prolific, bob
    ):
        for one in prolific.people:
            one["status"] = "APPROVED"
        batch = paying.set_up(study=recruited, client=client_of_prolific, now=NOON)
        with pytest.raises(BudgetError):
            paying.pay(
                batch=batch,
                total=paying.agreed(batch),
                client=client_of_prolific,
                now=NOON,
                user=bob,
            )
        assert BonusBatch.objects.get().state == "ready"

    def test_without_it_a_study_can_be_stopped(self, publish, bob):
        publish()
        assert publish("PAUSE", user=bob).status == "PAUSED"


class TestPlaces:
    def test_what_they_cost_is_held_once(self, publish, drafted):
        publish()
        publish("PAUSE")
        publish("START")
        assert spent(drafted) == COST

    @pytest.mark.parametrize("name", ["PROLIFIC_STUDY_MAX", "PROLIFIC_MONTH_MAX"])
    def test_beyond_a_ceiling_nothing_is_published(
        self, publish, drafted, prolific, settings, name
    ):
        setattr(settings, name, 2)
        with pytest.raises(BudgetError, match=name):
            publish()
        assert next(iter(prolific.studies.values()))["status"] == "UNPUBLISHED"
        assert spent(drafted) == 0

    def test_the_draft_is_read_again_as_it_may_cost_more_by_now(
        self, publish, prolific, settings
    ):
        next(iter(prolific.studies.values()))["total_cost"] = 999_999_99
        with pytest.raises(BudgetError):
            publish()

    def test_what_nobody_tells_the_price_of_is_not_published(self, publish, prolific):
        next(iter(prolific.studies.values()))["total_cost"] = None
        with pytest.raises(BudgetError):
            publish()

    def test_what_prolific_refused_is_given_back(self, publish, drafted, prolific):
        prolific.next_time("/transition/", says(400, {"error": "no"}))
        with pytest.raises(Refused):
            publish()
        assert spent(drafted) == 0

    def test_what_may_be_published_stays_held(
        self, publish, drafted, prolific, client_of_prolific
    ):
        prolific.next_time("/transition/", lost)
        publish()
        assert spent(drafted) == COST

    def test_places_that_were_added_there_are_counted(
        self, publish, drafted, prolific, client_of_prolific
    ):
        publish()
        next(iter(prolific.studies.values()))["total_cost"] = 500
        matching.refresh(study=drafted, client=client_of_prolific, now=NOON)
        assert spent(drafted) == 500

    def test_of_a_study_that_ended_what_was_paid_is_counted(self, publish, drafted):
        publish()
        row = Recruitment.objects.get()
        row.status, row.cost = "COMPLETED", {"rewards": 133}
        budget.settle_places(row)
        budget.settle_places(row)
        assert spent(drafted) == 133


class TestBonuses:
    @pytest.fixture
    def batch(self, recruited, prolific, client_of_prolific):
        for one in prolific.people:
            one["status"] = "APPROVED"
        return paying.set_up(study=recruited, client=client_of_prolific, now=NOON)

    @pytest.fixture
    def pay(self, batch, client_of_prolific, alice):
        return lambda: paying.pay(
            batch=batch,
            total=paying.agreed(batch),
            client=client_of_prolific,
            now=NOON,
            user=alice,
        )

    def test_they_are_held_with_their_fees(self, pay, recruited):
        pay()
        assert spent(recruited) == 66

    def test_beyond_a_ceiling_nothing_is_paid(self, pay, batch, settings, prolific):
        settings.PROLIFIC_STUDY_MAX = 0
        with pytest.raises(BudgetError, match="PROLIFIC_STUDY_MAX"):
            pay()
        batch.refresh_from_db()
        assert batch.state == "ready"
        assert prolific.bonuses()["ann"] == []

    def test_what_prolific_refused_is_given_back(self, pay, recruited, prolific):
        prolific.next_time("/pay/", says(400, {"error": "no"}))
        with pytest.raises(Refused):
            pay()
        assert spent(recruited) == 0

    def test_what_may_be_paid_stays_held_until_a_person_says_it_is_not(
        self, pay, batch, recruited, prolific, client_of_prolific, alice
    ):
        prolific.next_time("/pay/", lost)
        with pytest.raises(Unknown):
            pay()
        assert spent(recruited) == 66
        later = NOON + paying.SHOWN_BY
        prolific.people[0]["bonus_payments"] = []
        batch.refresh_from_db()
        paying.check(batch=batch, client=client_of_prolific, now=later)
        batch.refresh_from_db()
        paying.drop(batch=batch, now=later, user=alice)
        assert spent(recruited) == 0
