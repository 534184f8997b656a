from __future__ import annotations

from datetime import timedelta

import pytest

from scoring.judging import identities
from scoring.judging.identities import Judge
from scoring.models import JudgeIdentity, Signature
from tests.scoring.working import NOON

pytestmark = pytest.mark.django_db
TEXT = (
    "llm_judge|answered:{}|aspects:quality:sha256:1f|endpoint:lab/org/tiny|mode:answer"
    "|parameters:sha256:2e|prompt:sha256:3d|v:2"
)


def signed(answered: str) -> Signature:
    return Signature(text=TEXT.format(answered), metric="llm_judge")


def met(name: str, first: int, last: int, fingerprint: str = "") -> None:
    JudgeIdentity.objects.create(
        endpoint="lab",
        model_asked="org/tiny",
        model_answered=name,
        fingerprint=fingerprint,
        first_seen=NOON + timedelta(days=first),
        last_seen=NOON + timedelta(days=last),
    )


def test_a_signature_says_who_was_asked_and_who_answered():
    found = identities.judge_of(signed("tiny-2 (fp_1)"))
    assert found == Judge("lab", "org/tiny", "tiny-2 (fp_1)")


@pytest.mark.parametrize(
    "text",
    ["length|v:1", "llm_judge|model:sha256:1f|aspects:quality:sha256:2|v:2", ""],
)
def test_other_signatures_asked_nobody_over_the_network(text):
    assert identities.judge_of(Signature(text=text)) is None


def test_nothing_changed_while_the_same_answers():
    met("tiny", 0, 5, "fp_1")
    assert identities.changes([signed("tiny (fp_1)")]) == []


def test_a_new_fingerprint_is_another_judge():
    met("tiny", 0, 3, "fp_1")
    met("tiny", 4, 5, "fp_2")
    (found,) = identities.changes([signed("tiny (fp_1)")])
    assert (found.now, found.since) == ("tiny (fp_2)", NOON + timedelta(days=4))
    assert identities.changes([signed("tiny (fp_2)")]) == []


def test_one_that_came_back_answers_since_the_other_stopped():
    met("old", 0, 9)
    met("new", 3, 6)
    assert identities.changes([signed("old")]) == []
    (found,) = identities.changes([signed("new")])
    assert (found.now, found.since) == ("old", NOON + timedelta(days=6))


def test_a_server_without_a_name_is_unnamed():
    met("", 0, 1)
    assert identities.changes([signed("unnamed")]) == []


def test_a_study_without_a_judge_needs_few_queries(
    make_study, django_assert_max_num_queries
):
    study = make_study()
    with django_assert_max_num_queries(2):
        assert identities.changes_in(study) == []
