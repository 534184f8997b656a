from __future__ import annotations

import doctest
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation import assigning, surveys
from annotation.kinds.pairs import more_pairs
from annotation.kinds.pairs.more_pairs import inclusion, systematic
from annotation.models import Pair
from annotation.votes import uncertainty
from tests.annotation.seating import NOON, hire
from tests.annotation.test_pair_pages import submit


@pytest.fixture
def study(make_study):
    """Four systems, of whose six pairs for a prompt two are asked."""
    study = make_study(
        prompts=6, aspects=("coherence",), page_kinds=["pair"], pairs_per_text=1
    )
    surveys.open_study(study=study)
    surveys.pause(study=study)
    return study


def real() -> list[frozenset[int]]:
    rows = Pair.objects.exclude(second=None).values_list("first", "second")
    return [frozenset(both) for both in rows]


def test_the_examples_hold():
    assert doctest.testmod(more_pairs).failed == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.01, 100), min_size=2, max_size=12),
    st.integers(1, 14),
)
def test_chances_add_up_and_are_no_more_than_one(weights, n):
    chances = inclusion(weights, n)
    assert chances.sum() == pytest.approx(min(n, len(weights)))
    assert (chances > 0).all() and (chances <= 1 + 1e-12).all()
    drawn = systematic(chances, np.random.default_rng(1))
    assert len(drawn) == min(n, len(weights))


def test_each_is_drawn_with_its_chance():
    chances = inclusion([1, 2, 3, 6, 12], 2)
    rng, n = np.random.default_rng(2), 20_000
    found = Counter(one for _ in range(n) for one in systematic(chances, rng))
    assert [found[k] / n for k in range(5)] == pytest.approx(
        chances.tolist(), abs=0.015
    )


def test_new_pairs_are_none_that_was_asked_before(study):
    before = real()
    made = more_pairs.draw_more_pairs(study=study, n=10)
    assert len(real()) == len(before) + 10
    assert len(set(real())) == len(real())
    assert all(survey.kind == "pair" and survey.negative for survey in made)


def test_the_chance_is_kept_with_the_pair(study):
    more_pairs.draw_more_pairs(study=study, n=6)
    newest = Pair.objects.exclude(second=None).order_by("-pk")[:6]
    assert {round(pair.probability, 6) for pair in newest} == {6 / 24}


def test_more_is_asked_where_votes_say_least(study):
    a, b, c, d = study.systems.order_by("name").values_list("pk", flat=True)
    pairs = [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)]
    known = {frozenset(both): 0.01 for both in pairs} | {frozenset((c, d)): 100.0}
    asked = [frozenset(one) for one in real()]
    of_cd = sum(
        {text.system_id for text in study.generations.filter(pk__in=one)} == {c, d}
        for one in asked
    )
    more_pairs.draw_more_pairs(study=study, n=6 - of_cd, variances=known)
    drawn = Pair.objects.exclude(second=None).order_by("-pk")[: 6 - of_cd]
    systems = [{pair.first.system_id, pair.second.system_id} for pair in drawn]
    assert systems == [{c, d}] * (6 - of_cd)


def test_votes_say_which_systems_are_told_apart_least(study):
    surveys.open_study(study=study)
    worker = hire(study, "ann")
    while seat := assigning.claim(worker=worker, now=NOON):
        submit(seat)
    found = uncertainty.between_systems(study=study)
    assert len(found) == 6
    assert all(value > 0 for value in found.values())


def test_new_pages_get_places_when_the_study_opens_again(study):
    (*_, last) = more_pairs.draw_more_pairs(study=study, n=3)
    surveys.open_study(study=study)
    assert last.places.count() == study.ratings_per_text


def test_an_open_study_is_paused_first(study):
    surveys.open_study(study=study)
    with pytest.raises(surveys.DrawError, match="Pause it first"):
        more_pairs.draw_more_pairs(study=study, n=3)


def test_when_all_are_asked_it_says_so(study):
    more_pairs.draw_more_pairs(study=study, n=1000)
    assert len(real()) == 36
    with pytest.raises(surveys.DrawError, match="All pairs"):
        more_pairs.draw_more_pairs(study=study, n=1)


def test_a_study_of_ratings_has_none(make_study):
    study = make_study()
    with pytest.raises(surveys.DrawError, match="no pages of pairs"):
        more_pairs.draw_more_pairs(study=study, n=1)
