"""Nobody is paid twice, whatever gets lost and whoever presses the button."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import workers
from annotation.contrib.prolific import paying
from annotation.contrib.prolific.errors import RecruitingError
from annotation.crowd.prolific_client import CallError, Client, Refused, Unknown
from annotation.models import BonusBatch, BonusLine, Event, Study, Worker
from tests.annotation.seating import NOON, in_threads
from tests.support.prolific import TOKEN, lost, never_arrived, says

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def approved(recruited, prolific) -> Study:
    for one in prolific.people:
        one["status"] = "APPROVED"
    return recruited


def set_up(study, client) -> BonusBatch:
    return paying.set_up(study=study, client=client, now=NOON, user=study.owner)


def pay(batch, client, now=NOON, total=None) -> None:
    batch.refresh_from_db()
    paying.pay(
        batch=batch,
        total=total or paying.agreed(batch),
        client=client,
        now=now,
        user=batch.recruitment.study.owner,
    )


def state(batch) -> str:
    return BonusBatch.objects.get(pk=batch.pk).state


def test_a_bonus_is_set_up_with_its_fees_and_then_paid(
    approved, prolific, client_of_prolific
):
    batch = set_up(approved, client_of_prolific)
    assert prolific.bonuses()["ann"] == []
    assert (batch.state, batch.amount, batch.fees, batch.total) == ("ready", 50, 16, 66)
    assert paying.agreed(batch) == "1 person, 0.50 GBP, with fees 0.66 GBP"
    pay(batch, client_of_prolific)
    assert state(batch) == "paid"
    assert prolific.bonuses() == {"ann": [50], "bob": [], "cid": [], "stranger": []}


def test_what_is_paid_is_not_due_again(approved, client_of_prolific):
    pay(set_up(approved, client_of_prolific), client_of_prolific)
    with pytest.raises(RecruitingError, match="No bonus is due"):
        set_up(approved, client_of_prolific)


def test_a_bonus_that_was_paid_by_hand_is_not_due_again(
    approved, prolific, client_of_prolific
):
    prolific.people[0]["bonus_payments"] = [50]
    with pytest.raises(RecruitingError, match="No bonus is due"):
        set_up(approved, client_of_prolific)


def test_of_a_bonus_only_what_is_missing_is_due(approved, prolific, client_of_prolific):
    prolific.people[0]["bonus_payments"] = [20]
    assert set_up(approved, client_of_prolific).lines.get().amount == 30


def test_who_is_not_approved_gets_none_yet(recruited, client_of_prolific):
    with pytest.raises(RecruitingError, match="whose submission is approved"):
        set_up(recruited, client_of_prolific)


def test_another_currency_is_never_taken_for_the_study_s(approved, client_of_prolific):
    Study.objects.update(currency="USD")
    approved.refresh_from_db()
    with pytest.raises(RecruitingError, match="pays in GBP, and this study in USD"):
        set_up(approved, client_of_prolific)


def test_while_one_batch_is_open_no_other_is_set_up(approved, client_of_prolific):
    set_up(approved, client_of_prolific)
    BonusLine.objects.all().delete()  # so that something would be due
    with pytest.raises(RecruitingError, match="set up already"):
        set_up(approved, client_of_prolific)


@pytest.mark.parametrize("what", [lost, never_arrived, says(500, {}), says(400, {})])
def test_a_set_up_without_an_answer_is_dropped_as_it_pays_nobody(
    approved, prolific, client_of_prolific, what
):
    prolific.next_time("/bonus-payments/", what)
    with pytest.raises(CallError):
        set_up(approved, client_of_prolific)
    assert BonusBatch.objects.get().state == "dropped"
    pay(set_up(approved, client_of_prolific), client_of_prolific)
    assert prolific.bonuses()["ann"] == [50]


def test_a_person_who_read_another_amount_does_not_pay(
    approved, prolific, client_of_prolific
):
    batch = set_up(approved, client_of_prolific)
    with pytest.raises(RecruitingError, match="amounts have changed"):
        pay(batch, client_of_prolific, total="1 person, 0.10 GBP, with fees 0.13 GBP")
    assert prolific.bonuses()["ann"] == []


def test_paying_twice_is_refused(approved, prolific, client_of_prolific):
    batch = set_up(approved, client_of_prolific)
    pay(batch, client_of_prolific)
    with pytest.raises(RecruitingError, match="paid this already"):
        pay(batch, client_of_prolific)
    assert prolific.bonuses()["ann"] == [50]


@pytest.mark.django_db(transaction=True)
def test_two_people_who_press_pay_at_the_same_moment_pay_once(approved, prolific):
    client = Client(TOKEN, prolific.url)
    batch = set_up(approved, client)

    def press(_: int) -> str:
        try:
            pay(BonusBatch.objects.get(pk=batch.pk), Client(TOKEN, prolific.url))
        except RecruitingError:
            return "refused"
        return "paid"

    assert sorted(in_threads(4, press)) == ["paid", *["refused"] * 3]
    assert prolific.times("/pay/") == 1
    assert prolific.bonuses()["ann"] == [50]


@pytest.mark.django_db(transaction=True)
def test_two_people_who_set_up_at_the_same_moment_set_up_one_batch(approved, prolific):
    def press(_: int) -> str:
        try:
            set_up(approved, Client(TOKEN, prolific.url))
        except RecruitingError:
            return "refused"
        return "set up"

    assert sorted(in_threads(3, press)) == ["refused", "refused", "set up"]
    assert BonusLine.objects.count() == 1


class TestUnknown:
    """The answer to the request that pays did not come."""

    def fail(self, study, server, client, what) -> BonusBatch:
        batch = set_up(study, client)
        server.next_time("/pay/", what)
        with pytest.raises(Unknown, match="Nothing is sent again"):
            pay(batch, client)
        return BonusBatch.objects.get(pk=batch.pk)

    @pytest.mark.parametrize(
        "what",
        [
            *(lost, never_arrived),
            *(says(302, {}), says(408, {}), says(500, {}), says(503, {})),
        ],
    )
    def test_it_is_sent_once_and_shown_as_unknown(
        self, approved, prolific, client_of_prolific, what
    ):
        batch = self.fail(approved, prolific, client_of_prolific, what)
        assert batch.state == "unknown"
        assert prolific.times("/pay/") == 1
        with pytest.raises(RecruitingError, match="paid this already"):
            pay(batch, client_of_prolific)
        with pytest.raises(RecruitingError):
            set_up(approved, client_of_prolific)
        assert prolific.times("/pay/") == 1

    def test_prolific_shows_that_it_was_paid(
        self, approved, prolific, client_of_prolific
    ):
        batch = self.fail(approved, prolific, client_of_prolific, lost)
        found = paying.check(batch=batch, client=client_of_prolific, now=NOON)
        assert (found.seen, found.people) == (1, 1)
        assert state(batch) == "paid"
        assert prolific.bonuses()["ann"] == [50]

    def test_as_long_as_it_shows_nothing_nothing_is_concluded(
        self, approved, prolific, client_of_prolific
    ):
        batch = self.fail(approved, prolific, client_of_prolific, never_arrived)
        found = paying.check(batch=batch, client=client_of_prolific, now=NOON)
        assert (found.seen, state(batch)) == (0, "unknown")
        with pytest.raises(RecruitingError, match="Wait for an hour"):
            paying.drop(batch=batch, now=NOON, user=approved.owner)

    def test_after_an_hour_a_person_may_say_that_nothing_was_paid(
        self, approved, prolific, client_of_prolific
    ):
        batch = self.fail(approved, prolific, client_of_prolific, never_arrived)
        later = NOON + HOUR
        paying.check(batch=batch, client=client_of_prolific, now=later)
        batch = BonusBatch.objects.get(pk=batch.pk)
        paying.drop(batch=batch, now=later, user=approved.owner)
        pay(set_up(approved, client_of_prolific), client_of_prolific)
        assert prolific.bonuses()["ann"] == [50]
        assert Event.objects.filter(
            verb="dropped-bonuses", detail__contains="a person says"
        ).exists()

    def test_nobody_may_say_so_of_what_prolific_shows_in_part(
        self, approved, prolific, client_of_prolific
    ):
        batch = self.fail(approved, prolific, client_of_prolific, never_arrived)
        BonusLine.objects.create(
            batch=batch, worker=Worker.objects.get(external_id="bob"), amount=9,
            before=0,
        )  # fmt: skip
        prolific.people[0]["bonus_payments"] = [50]
        later = NOON + HOUR
        batch.lines.filter(worker__external_id="bob").update(
            submission=batch.recruitment.submissions.get(worker__external_id="bob")
        )
        found = paying.check(batch=batch, client=client_of_prolific, now=later)
        assert (found.seen, found.people, state(batch)) == (1, 2, "unknown")
        with pytest.raises(RecruitingError, match="shows some"):
            paying.drop(
                batch=BonusBatch.objects.get(pk=batch.pk),
                now=later,
                user=approved.owner,
            )

    def test_a_process_that_died_while_paying_leaves_it_unknown(
        self, approved, prolific, client_of_prolific
    ):
        batch = set_up(approved, client_of_prolific)
        BonusBatch.objects.update(state="paying", sent_at=NOON)
        batch.refresh_from_db()
        with pytest.raises(RecruitingError, match="is known"):
            paying.check(batch=batch, client=client_of_prolific, now=NOON)
        paying.check(batch=batch, client=client_of_prolific, now=NOON + HOUR)
        assert state(batch) == "unknown"


@pytest.mark.parametrize("status", [400, 401, 403, 429])
def test_what_prolific_refused_to_pay_can_be_paid_later(
    approved, prolific, client_of_prolific, status
):
    batch = set_up(approved, client_of_prolific)
    prolific.next_time("/pay/", says(status, {"error": {"detail": "No balance."}}))
    with pytest.raises(Refused, match="No balance"):
        pay(batch, client_of_prolific)
    assert state(batch) == "ready"
    pay(batch, client_of_prolific)
    assert prolific.bonuses()["ann"] == [50]


def test_of_whom_prolific_refused_no_id_is_kept(approved, prolific, client_of_prolific):
    batch, person = set_up(approved, client_of_prolific), "5f3a" * 6
    said = {"error": {"detail": f"Participant {person} is gone."}}
    prolific.next_time("/pay/", says(400, said))
    with pytest.raises(Refused, match=person):  # who pays is told
        pay(batch, client_of_prolific)
    batch.refresh_from_db()
    assert batch.error.endswith("Participant [id] is gone.")
    assert not Event.objects.filter(detail__contains=person).exists()


def test_what_is_set_up_can_be_dropped_and_is_due_again(approved, client_of_prolific):
    batch = set_up(approved, client_of_prolific)
    paying.drop(batch=batch, now=NOON, user=approved.owner)
    with pytest.raises(RecruitingError, match="paid this already, or dropped"):
        pay(batch, client_of_prolific)
    assert set_up(approved, client_of_prolific).lines.count() == 1


def test_what_is_paid_cannot_be_dropped(approved, client_of_prolific):
    batch = set_up(approved, client_of_prolific)
    pay(batch, client_of_prolific)
    batch.refresh_from_db()
    with pytest.raises(RecruitingError, match="are paid"):
        paying.drop(batch=batch, now=NOON, user=approved.owner)


def test_who_is_forgotten_is_named_nowhere_and_the_books_still_add_up(
    approved, client_of_prolific
):
    pay(set_up(approved, client_of_prolific), client_of_prolific)
    workers.withdraw(worker=Worker.objects.get(external_id="ann"), now=NOON)
    line = BonusLine.objects.get()
    assert line.submission is None
    assert line.worker.external_id.startswith("forgotten-")
    assert line.amount == 50
