from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning
from annotation.kinds.pairs.scores import PairScores
from annotation.models import Seat, Study, comparing
from annotation.watching import monitor, progress, summary
from tests.annotation.pairing import careless_choices, compare, open_pairs
from tests.annotation.seating import NOON, hand_in, hire, sit

pytestmark = pytest.mark.django_db

BOTH = ("ratings", "pair")


@pytest.fixture
def study(make_study) -> Study:
    """One page of three pairs and a damaged twin, with two places."""
    return open_pairs(make_study(prompts=1, systems=("a", "b", "c")))


@pytest.fixture
def mixed(make_study) -> Study:
    """Two pages of two texts, then one of two pairs, with two places each."""
    study = make_study(name="mixed", prompts=2, systems=("a", "b"))
    return open_pairs(study, kinds=BOTH)


def do_all(study: Study) -> None:
    """One worker does all the pages."""
    worker = hire(study, "ann")
    while seat := assigning.claim(worker=worker, now=NOON):
        (compare if seat.survey.kind == "pair" else hand_in)(seat)


class TestCoverage:
    def test_each_pair_is_wanted_as_often_as_asked_and_no_twin(self, study):
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.valid, covered.texts) == (6, 0, 3)
        (part,) = covered.parts
        assert (part.answer, part.unit, part.units) == ("comparison", "pair", 3)

    def test_a_valid_page_counts_its_pairs(self, study):
        compare(sit(study, "ann"))
        seat = sit(study, "careless")
        answering.submit(seat=seat, answers=careless_choices(seat), now=NOON)
        covered = progress.coverage(study=study)
        assert (covered.valid, covered.percent, covered.complete) == (3, 50, False)
        compare(sit(study, "ben"))
        assert progress.coverage(study=study).complete

    def test_a_pair_with_an_excluded_text_is_neither_wanted_nor_valid(self, study):
        compare(sit(study, "ann"))
        study.generations.filter(system__name="a").update(excluded_at=NOON)
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.valid) == (2, 1)

    def test_a_study_of_both_kinds_is_counted_by_kind(self, mixed):
        hand_in(sit(mixed, "ann"))
        covered = progress.coverage(study=mixed)
        assert [(p.kind, p.wanted, p.valid, p.units) for p in covered.parts] == [
            ("ratings", 8, 2, 4),
            ("pair", 4, 0, 2),
        ]
        assert (covered.wanted, covered.valid, covered.left) == (12, 2, 10)
        assert (covered.answers, covered.unit) == ("answers", "page")

    def test_before_pairs_are_drawn_nobody_knows_how_many(self, make_study):
        draft = make_study(page_kinds=["pair"])
        assert progress.coverage(study=draft).parts == ()
        draft.page_kinds = list(BOTH)
        assert [p.kind for p in progress.coverage(study=draft).parts] == ["ratings"]

    def test_the_next_step_names_what_is_missing(self, study, mixed):
        for one, said in (
            (study, "6 of 6 comparisons are"),
            (mixed, "12 of 12 answers"),
        ):
            covered = progress.coverage(study=one)
            assert said in summary.next_step(study=one, covered=covered).sentence

    def test_the_next_step_of_a_complete_study_is_to_close_it(self, study):
        for name in ("ann", "ben"):
            compare(sit(study, name))
        covered = progress.coverage(study=study)
        step = summary.next_step(study=study, covered=covered)
        assert step.sentence.startswith("Every pair has all its comparisons.")

    def test_the_pace_is_of_pairs(self, make_study):
        study = open_pairs(
            make_study(prompts=1, systems=("a", "b")), ratings_per_text=9
        )
        for n in range(6):
            compare(sit(study, f"w{n}"))
        hour = NOON + timedelta(hours=6)
        left = progress.coverage(study=study).left
        assert left == 3
        assert summary.hours_left(study=study, left=left, now=hour) == 3


class TestTable1:
    def test_comparisons_are_no_ratings_of_a_text(self, study):
        compare(sit(study, "ann"))
        table = summary.table_1(study=study)
        assert (table.ratings, table.pairs, table.comparisons) == (None, 3, 1.0)

    def test_both_are_told_apart(self, mixed):
        do_all(mixed)
        table = summary.table_1(study=mixed)
        assert (table.ratings, table.pairs, table.comparisons) == (1.0, 2, 1.0)


class TestAgreement:
    def test_it_is_of_answers_seen_from_the_same_text(self, study):
        for name in ("ann", "ben"):
            compare(sit(study, name), first=comparing.FIRST)
        (row, *_) = summary.agreement(study=study)
        assert (row.label, row.n_texts, row.n_ratings) == ("pairs", 3, 6)
        assert row.level == "ordinal"

    def test_who_chooses_opposite_texts_disagrees(self, make_study):
        study = open_pairs(make_study(prompts=4, systems=("a", "b")))
        for first in (comparing.FIRST, comparing.SECOND):
            compare(sit(study, f"w{first}"), first=first)
        (row, *_) = summary.agreement(study=study)
        assert all(found.value < 0 for _, found in row.levels)

    def test_ratings_and_pairs_have_rows_of_their_own(self, mixed):
        rows = summary.agreement(study=mixed)
        assert [row.label for row in rows] == ["", "pairs"] * 3

    def test_counts_are_of_pairs_and_answers(self, study):
        compare(sit(study, "ann"), first=comparing.FIRST)
        compare(sit(study, "ben"), first=comparing.TIE)
        aspect = study.aspects.first()
        found, values = PairScores().counts(study=study, aspect=aspect)
        assert values.tolist() == [2, 3, 4]
        assert found.tolist() == [[1, 1, 0]] * 3

    def test_discarded_answers_are_added_if_wanted(self, study):
        seat = compare(sit(study, "ann"), first=comparing.FIRST)
        Seat.objects.filter(pk=seat.pk).update(state="discarded")
        aspect = study.aspects.first()
        for with_discarded, n in ((False, 0), (True, 3)):
            found, _ = PairScores().counts(
                study=study, aspect=aspect, with_discarded=with_discarded
            )
            assert found.sum() == n


class TestMonitor:
    def test_pairs_are_counted_by_valid_comparisons(self, study):
        compare(sit(study, "ann"))
        rows = monitor.filled(study=study)
        assert [(row.answers, row.units, row.surveys) for row in rows] == [
            (0, [0], 0),
            (1, [3], 1),
            (2, [0], 0),
        ]

    def test_texts_have_no_rating_from_a_comparison(self, mixed):
        do_all(mixed)
        assert monitor.filled(study=mixed) == [
            (0, 0, [0, 0]),
            (1, 3, [4, 2]),
            (2, 0, [0, 0]),
        ]

    def test_trusted_workers_put_the_damaged_twin_last(self, make_study):
        study = open_pairs(
            make_study(prompts=6, systems=("a", "b")), texts_per_survey=2
        )
        worker = hire(study, "ann")
        for _ in range(3):
            compare(assigning.claim(worker=worker, now=NOON))
        found = monitor.damages(study=study, now=NOON)
        assert sum(row.trusted for row in found) == 3
        assert all(row.last == row.trusted for row in found)
