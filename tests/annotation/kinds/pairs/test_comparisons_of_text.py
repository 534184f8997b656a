from __future__ import annotations

import pytest

from annotation import answering
from annotation.kinds.pairs import comparisons_of_text
from annotation.kinds.pairs.comparisons_of_text import Compared
from annotation.models import Generation, Seat, comparing
from annotation.watching import one_text
from tests.annotation.pairing import choices, compare, open_pairs
from tests.annotation.seating import NOON, hand_in, lay_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """One page of three pairs and a damaged twin, with four places."""
    study = make_study(prompts=1, systems=("a", "b", "c"), ratings_per_text=4)
    return open_pairs(study, pair_strength=True)


def text(study, system: str) -> Generation:
    return study.generations.get(system__name=system)


def read(study, system: str) -> Compared:
    (elsewhere,) = one_text.read(study=study, text=text(study, system)).elsewhere
    assert isinstance(elsewhere.about, Compared)
    return elsewhere.about


def of_pairs(found: Compared) -> list[comparisons_of_text.Against]:
    return [row for row in found.rows if row.other]


def test_answers_are_told_from_this_text(study):
    """a is the first text of its pairs, c the second, b is both."""
    compare(sit(study, "ann"), first=comparing.FIRST)
    for system, wins in (("a", {"b": 2, "c": 2}), ("b", {"c": 2}), ("c", {})):
        rows = of_pairs(read(study, system))
        assert len(rows) == 2
        for row in rows:
            won = row.other.system.name in wins
            assert set(row.answers) == {"better" if won else "worse"}


def test_strength_and_ties_are_told(study):
    seat = sit(study, "ann")
    answers = choices(seat, first=comparing.MUCH_SECOND)
    answers |= {at: comparing.TIE for at in answers if at[1] == "relevance"}
    answering.submit(seat=seat, answers=answers, now=NOON)
    (row, *_) = of_pairs(read(study, "a"))
    assert row.answers == ["much worse", "much worse", "no difference"]


def test_it_tells_on_which_side_the_text_stood(study):
    ann, ben = (compare(sit(study, name)) for name in ("ann", "ben"))
    rows = of_pairs(read(study, "a"))
    by_pair = {(row.other.pk, row.seat.pk): row.was_left for row in rows}
    for other in {row.other.pk for row in rows}:
        assert by_pair[other, ann.pk] != by_pair[other, ben.pk]


def test_sums_are_of_valid_answers_by_system(study):
    compare(sit(study, "ann"), first=comparing.FIRST)
    compare(sit(study, "ben"), first=comparing.SECOND)
    ignored = compare(sit(study, "cat"), first=comparing.TIE)
    Seat.objects.filter(pk=ignored.pk).update(informed=True)
    found = read(study, "a")
    sums = {row.system: row.sums for row in found.tallies if not row.damaged}
    assert sums == {"b": [(1, 0, 1)] * 3, "c": [(1, 0, 1)] * 3}
    assert [row.counts for row in found.rows][-1] is False


def test_its_damaged_version_is_told_apart(study):
    compare(sit(study, "ann"))
    (source,) = {seat.survey.negative.source for seat in Seat.objects.all()}
    found = read(study, source.system.name)
    (damaged,) = [row for row in found.rows if row.negative]
    assert damaged.other is None and damaged.answers == ["better"] * 3
    assert [row.sums for row in found.tallies if row.damaged] == [[(1, 0, 0)] * 3]
    assert found.n_pairs == 2  # the damaged version is none


def test_cannot_say_is_no_tie(study):
    study.aspects.update(cannot_say=True)
    seat = sit(study, "ann")
    answering.submit(seat=seat, answers=dict.fromkeys(choices(seat)), now=NOON)
    (row, *_) = of_pairs(read(study, "a"))
    assert row.answers == ["cannot say"] * 3
    assert all(sum(one) == 0 for t in read(study, "a").tallies for one in t.sums)


def test_pairs_of_each_text_are_counted_by_the_database(study):
    rows = study.generations.annotate(n=comparisons_of_text.n_pairs())
    assert set(rows.values_list("n", flat=True)) == {2}


def test_a_study_without_pairs_has_no_comparisons(make_study):
    study = make_study()
    lay_out(study)
    hand_in(sit(study, "ann"))
    found = one_text.read(study=study, text=study.generations.first())
    assert found.elsewhere == []


def test_queries_do_not_grow_with_the_answers(study, django_assert_num_queries):
    aspects = list(study.aspects.all())
    for name in ("ann", "ben"):
        compare(sit(study, name))
        one = text(study, "a")
        with django_assert_num_queries(2):
            comparisons_of_text.read(study=study, text=one, aspects=aspects)
