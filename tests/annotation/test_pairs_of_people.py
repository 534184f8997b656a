"""What becomes of answers on pairs when people or studies go."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import studies, workers
from annotation.models import Annotation, Item, Pair, Study
from annotation.watching import progress
from tests.annotation.pairing import MUCH_B, compare, open_pairs
from tests.annotation.seating import LATER, NOON, sit
from tests.support.looking import twice

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """One page of three pairs and a damaged twin, with two places."""
    return open_pairs(make_study(prompts=1, systems=("a", "b", "c")))


def test_who_withdraws_leaves_no_answer_on_a_pair(study):
    ann, ben = (compare(sit(study, name)) for name in ("ann", "ben"))
    workers.withdraw(worker=ann.worker, now=LATER)
    assert set(Annotation.objects.values_list("seat", flat=True)) == {ben.pk}
    assert progress.coverage(study=study).valid == 3
    assert sit(study, "cat", now=LATER) is not None  # their place is open again


def test_an_excluded_worker_s_comparisons_do_not_count_until_they_are_back(
    study, alice
):
    ann = compare(sit(study, "ann"), real=MUCH_B - 1)
    workers.exclude(worker=ann.worker, reason="Test.", user=alice, now=LATER)
    assert progress.coverage(study=study).valid == 0
    workers.include(worker=ann.worker, user=alice, now=LATER)
    assert progress.coverage(study=study).valid == 3


def test_a_copy_asks_the_same_and_has_no_pair_yet(study, alice):
    compare(sit(study, "ann"))
    Study.objects.filter(pk=study.pk).update(
        pairs_per_text=2, pair_ties=False, pair_strength=True
    )
    study.aspects.update(pair_question="Which one flows better?")
    study.refresh_from_db()
    made = studies.copy(
        source=study, name="again", user=alice, now=LATER, with_texts=True
    )
    assert made.page_kinds == ["pair"]
    assert (made.pairs_per_text, made.pair_ties, made.pair_strength) == (2, False, True)
    asked = made.aspects.values_list("pair_question", flat=True)
    assert set(asked) == {"Which one flows better?"}
    assert not Pair.objects.filter(survey__study=made).exists()


def test_a_deleted_study_takes_its_pairs_and_answers_along(study, alice):
    compare(sit(study, "ann"))
    studies.delete(study=study, typed=study.name, user=alice, now=NOON)
    twice(studies.purge, now=NOON + timedelta(days=31))
    assert not Study.objects.filter(pk=study.pk).exists()
    for left in (Pair, Item, Annotation):
        assert not left.objects.exists()
