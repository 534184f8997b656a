from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import workers
from annotation.contrib.prolific import approving, matching, prolific
from annotation.contrib.prolific.errors import RecruitingError
from annotation.crowd.prolific_client import Refused, Unknown
from annotation.models import Recruitment, Study, Submission, Worker
from tests.annotation.seating import NOON
from tests.support.prolific import lost, says

pytestmark = pytest.mark.django_db

REASON = "You gave the same answer to every text within seconds. " * 3


def statuses(server) -> dict[str, str]:
    return {one["participant_id"]: one["status"] for one in server.people}


def test_submissions_are_matched_with_those_who_came(recruited, client_of_prolific):
    row = matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
    assert row.counts == {"AWAITING REVIEW": 4}
    assert (row.unmatched, row.currency, row.checked_at) == (1, "GBP", NOON)
    assert row.cost == {"rewards": 400, "bonuses": 0}
    found = matching.table(study=recruited, row=row)
    assert [(one.pages, one.paid, one.due) for one in found] == [
        (2, 2, 50),
        (1, 1, 0),
        (0, 0, 0),
    ]


def test_many_submissions_come_in_pages(
    recruited, prolific, client_of_prolific, monkeypatch
):
    monkeypatch.setattr("annotation.contrib.prolific.prolific.PER_PAGE", 3)
    matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
    assert Submission.objects.count() == 3
    assert prolific.times("/submissions/") == 2


def test_half_an_answer_changes_nothing(recruited, prolific, client_of_prolific):
    prolific.next_time("/cost/", *[says(500, {})] * 3)
    with pytest.raises(Unknown):
        matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
    assert not Submission.objects.exists()


class TestApprove:
    def approve(self, study, client, now=NOON) -> int:
        return approving.approve(study=study, client=client, now=now)

    def test_who_has_a_paid_page_is_approved_and_nobody_else(
        self, recruited, prolific, client_of_prolific
    ):
        assert self.approve(recruited, client_of_prolific) == 2
        assert statuses(prolific) == {
            "ann": "APPROVED",
            "bob": "APPROVED",
            "cid": "AWAITING REVIEW",
            "stranger": "AWAITING REVIEW",
        }

    def test_where_only_careful_work_is_paid_the_others_wait(
        self, recruited, prolific, client_of_prolific
    ):
        recruited.pay_unused = False
        assert self.approve(recruited, client_of_prolific) == 1
        assert statuses(prolific)["bob"] == "AWAITING REVIEW"

    def test_who_is_on_the_way_is_not_sent_again_at_once(
        self, recruited, prolific, client_of_prolific
    ):
        prolific.next_time("/bulk-approve/", says(502, {}))
        with pytest.raises(Unknown):
            self.approve(recruited, client_of_prolific)
        assert self.approve(recruited, client_of_prolific) == 0
        later = NOON + timedelta(minutes=11)
        assert self.approve(recruited, client_of_prolific, later) == 2

    def test_what_was_refused_can_be_sent_again(
        self, recruited, prolific, client_of_prolific
    ):
        prolific.next_time("/bulk-approve/", says(403, {}))
        with pytest.raises(Refused):
            self.approve(recruited, client_of_prolific)
        assert self.approve(recruited, client_of_prolific) == 2

    def test_an_approval_whose_answer_is_lost_is_seen_by_asking(
        self, recruited, prolific, client_of_prolific
    ):
        prolific.next_time("/bulk-approve/", lost)
        with pytest.raises(Unknown):
            self.approve(recruited, client_of_prolific)
        matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
        assert Submission.objects.filter(status="APPROVED").count() == 2


class TestReject:
    def reject(self, study, client, name="bob", reason=REASON, category="LOW_EFFORT"):
        matching.refresh(study=study, client=client, now=NOON)
        approving.reject(
            study=study,
            submission=Submission.objects.get(worker__external_id=name),
            category=category,
            reason=reason,
            client=client,
            now=NOON,
            user=study.owner,
        )

    def test_never_where_unused_pages_are_paid(self, recruited, client_of_prolific):
        with pytest.raises(RecruitingError, match="nobody is rejected"):
            self.reject(recruited, client_of_prolific)

    def test_with_a_reason_that_the_person_reads(
        self, recruited, prolific, client_of_prolific
    ):
        recruited.pay_unused = False
        self.reject(recruited, client_of_prolific)
        assert statuses(prolific)["bob"] == "REJECTED"
        assert prolific.people[1]["told"] == REASON.strip()

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"name": "ann"}, "has a paid page"),
            ({"name": "cid"}, "has a paid page"),
            ({"reason": "Bad."}, "at least 100 characters, and this has 4"),
            ({"category": "MOOD"}, "Choose why"),
        ],
    )
    def test_not_otherwise(self, recruited, client_of_prolific, given, said):
        recruited.pay_unused = False
        with pytest.raises(RecruitingError, match=said):
            self.reject(recruited, client_of_prolific, **given)

    def test_what_is_approved_stays_so(self, recruited, prolific, client_of_prolific):
        recruited.pay_unused = False
        prolific.people[1]["status"] = "APPROVED"
        with pytest.raises(RecruitingError, match="is approved"):
            self.reject(recruited, client_of_prolific)


class TestForgotten:
    def test_who_withdraws_leaves_no_submission_and_comes_back_with_none(
        self, recruited, client_of_prolific
    ):
        matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
        ann = Worker.objects.get(external_id="ann")
        workers.withdraw(worker=ann, now=NOON)
        assert Submission.objects.count() == 2
        matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
        assert Submission.objects.count() == 2
        assert Recruitment.objects.get().unmatched == 2

    def test_after_the_retention_time_none_is_left(self, recruited, client_of_prolific):
        matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
        Study.objects.update(state="closed")
        workers.forget_ids(study=recruited, now=NOON)
        assert not Submission.objects.exists()


def test_a_status_is_read_in_either_spelling(recruited, prolific, client_of_prolific):
    prolific.people[0]["status"] = "awaiting_review"
    matching.refresh(study=recruited, client=client_of_prolific, now=NOON)
    found = Submission.objects.get(worker__external_id="ann")
    assert found.status == "AWAITING REVIEW"


def test_amounts_in_forms_that_nobody_knows_are_no_zero():
    assert prolific._bonus([]) == 0
    assert prolific._bonus([10, {"amount": 5}]) == 15
    assert prolific._bonus(None) is None
    assert prolific._bonus(["1.00"]) is None
