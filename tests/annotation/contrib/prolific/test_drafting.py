from __future__ import annotations

from datetime import timedelta

import pytest

from annotation.contrib.prolific import drafting
from annotation.contrib.prolific.drafting import Wanted
from annotation.contrib.prolific.errors import RecruitingError
from annotation.crowd.prolific_client import Refused, Unknown
from annotation.models import Event, Recruitment
from tests.annotation.seating import NOON
from tests.support.prolific import lost, never_arrived, usual

pytestmark = pytest.mark.django_db

WANTED = Wanted(
    description="Read.",
    url="https://example.org/w/1/?PROLIFIC_PID={{%PROLIFIC_PID%}}",
    places=4,
    minutes=5,
    reward=50,
    devices=["desktop"],
)


def create(study, client, wanted=WANTED, now=NOON):
    return drafting.create(study=study, wanted=wanted, client=client, now=now)


def test_a_draft_says_what_the_study_knows(study, prolific, client_of_prolific):
    create(study, client_of_prolific)
    (made,) = prolific.studies.values()
    assert made["status"] == "UNPUBLISHED"
    assert made["name"] == study.public_title
    assert made["external_study_url"] == WANTED.url
    assert (made["total_available_places"], made["reward"]) == (4, 50)
    assert [(one["code"], one["code_type"]) for one in made["completion_codes"]] == [
        ("D0NE2345", "COMPLETED"),
        ("FULL2345", "OTHER"),
    ]
    kept = Recruitment.objects.get()
    assert (kept.prolific_id, kept.currency, kept.total_cost) == ("study1", "GBP", 267)


def test_a_code_that_ends_two_ways_is_listed_once_as_completed(study):
    study.nothing_left_code = study.completion_code
    assert [one["code_type"] for one in drafting.codes(study)] == ["COMPLETED"]


def test_a_draft_whose_answer_was_lost_is_found_and_not_made_twice(
    study, prolific, client_of_prolific
):
    prolific.next_time("/studies/", usual, lost)  # it is looked for, then made
    with pytest.raises(Unknown):
        create(study, client_of_prolific)
    assert create(study, client_of_prolific).prolific_id == "study1"
    assert len(prolific.studies) == 1


def test_a_second_draft_is_refused(study, client_of_prolific):
    create(study, client_of_prolific)
    with pytest.raises(RecruitingError, match="already"):
        create(study, client_of_prolific)


def test_while_one_is_being_made_another_is_refused_but_not_for_ever(
    study, client_of_prolific
):
    Recruitment.objects.create(study=study, asked_at=NOON)
    with pytest.raises(RecruitingError, match="right now"):
        create(study, client_of_prolific, now=NOON + timedelta(seconds=30))
    create(study, client_of_prolific, now=NOON + timedelta(minutes=2))


def test_what_prolific_refuses_can_be_tried_again(study, client_of_prolific):
    with pytest.raises(Refused, match="Pay at least 10"):
        create(study, client_of_prolific, WANTED._replace(reward=5))
    create(study, client_of_prolific)


def test_other_platforms_have_no_draft_there(study, client_of_prolific):
    study.platform = "sona"
    with pytest.raises(RecruitingError, match="Sona"):
        create(study, client_of_prolific)


def test_nobody_is_paid_for_what_simulated_workers_do(study, client_of_prolific):
    study.simulated = True
    with pytest.raises(RecruitingError, match="simulated"):
        create(study, client_of_prolific)


class TestTransition:
    def move(self, study, client, action):
        drafting.transition(study=study, action=action, client=client, now=NOON)
        return Recruitment.objects.get().status

    def test_it_is_published_paused_resumed_and_stopped(
        self, study, client_of_prolific
    ):
        create(study, client_of_prolific)
        moves = ["PUBLISH", "PAUSE", "START", "STOP"]
        found = [self.move(study, client_of_prolific, one) for one in moves]
        assert found == ["ACTIVE", "PAUSED", "ACTIVE", "AWAITING REVIEW"]
        verbs = set(Event.objects.values_list("verb", flat=True))
        assert verbs >= set(drafting.VERBS.values())

    def test_nobody_is_recruited_for_a_study_that_is_not_open(
        self, study, client_of_prolific
    ):
        create(study, client_of_prolific)
        study.state = "draft"
        with pytest.raises(RecruitingError, match="Open it first"):
            self.move(study, client_of_prolific, "PUBLISH")

    def test_after_a_lost_answer_the_state_is_asked_for(
        self, study, prolific, client_of_prolific
    ):
        create(study, client_of_prolific)
        prolific.next_time("/transition/", lost)
        assert self.move(study, client_of_prolific, "PUBLISH") == "ACTIVE"
        prolific.next_time("/transition/", never_arrived)
        assert self.move(study, client_of_prolific, "PAUSE") == "ACTIVE"

    def test_what_prolific_says_against_it_is_told(self, study, client_of_prolific):
        create(study, client_of_prolific)
        with pytest.raises(Refused, match="It is UNPUBLISHED"):
            self.move(study, client_of_prolific, "PAUSE")
