"""What Monitor says that more prompts or ratings would bring."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.stats import nct, t

from annotation import sizing
from annotation.models import Study
from annotation.sizing import Sizes
from annotation.watching import more_ratings, stopping
from scoring.stats.components.designs import Design
from tests.annotation.sizing.test_planning import SYSTEMS, ratings
from tests.support.scored import rate


@pytest.fixture
def rated(make_study):
    study = make_study(
        prompts=12, systems=SYSTEMS, aspects=("coherence",), state="open"
    )
    rate(study, "coherence", ratings(12))
    return study


def said(study: Study) -> str:
    return more_ratings.sentence(study=study, aspect=study.aspects.get())


def power(variance: float, prompts: int, difference: float) -> float:
    """Of a two-sided t test, from the distributions themselves.

    At the level of Holm's first of the six pairs of four systems.
    """
    limit, reach = (
        t.isf(0.025 / 6, prompts - 1),
        difference / (variance / prompts) ** 0.5,
    )
    return nct.sf(limit, prompts - 1, reach) + nct.cdf(-limit, prompts - 1, reach)


def sizes(prompts: int, raters: int) -> Sizes:
    return Sizes(4, Design(prompts, raters), None, "")


@pytest.mark.parametrize("prompts", [12, 40, 200])
def test_the_numbers_are_those_of_a_t_test_over_prompts(prompts) -> None:
    words = more_ratings.in_words(sizes(prompts, 3), {"text": 0.3, "residual": 0.6})
    numbers = re.findall(r"[\d.]+\d|\d+", words)
    now, more, then = float(numbers[1]), int(numbers[2]), float(numbers[3])
    variance = 2 * (0.3 + 0.6 / 3)
    assert power(variance, prompts, now) == pytest.approx(0.8, abs=0.02)
    assert then <= 0.9 * now * 1.02
    assert power(variance, prompts + more, then) >= 0.8
    assert power(variance, prompts + more - 1, then) < 0.8


def test_more_ratings_do_not_help_where_texts_differ() -> None:
    words = more_ratings.in_words(sizes(20, 5), {"text": 1.0, "residual": 0.1})
    assert words.endswith("; more ratings per text would not help.")


def test_more_ratings_help_where_raters_do() -> None:
    words = more_ratings.in_words(sizes(20, 1), {"text": 0.01, "residual": 1.0})
    assert re.search(r"; so would \d+ more ratings? per text\.$", words)


def test_a_running_study_learns_from_its_own_ratings(rated) -> None:
    words = said(rated)
    assert words.startswith("With all 12 prompts rated, this study will probably show")
    assert re.search(r"Another (\d+ prompts|prompt) would show a difference of", words)
    assert stopping.read(study=rated).found.bring == words


@pytest.mark.parametrize("change", [{"state": "closed"}, {"rated_share": 50}])
def test_nothing_is_said_where_no_more_can_be_asked_for(rated, change) -> None:
    Study.objects.update(**change)
    rated.refresh_from_db()
    assert said(rated) == ""


def test_a_small_study_is_told_from_when_on(make_study) -> None:
    study = make_study(prompts=4, state="open", aspects=("coherence",))
    assert said(study).startswith("With 10 prompts or more")


def test_before_ratings_come_the_reason_is_told(make_study) -> None:
    study = make_study(prompts=12, state="open", aspects=("coherence",))
    assert said(study).endswith("not known yet: fewer than two systems have ratings.")


def test_what_ratings_vary_by_is_not_estimated_at_each_look(
    rated, django_assert_max_num_queries, monkeypatch
) -> None:
    said(rated)
    monkeypatch.setattr(more_ratings, "estimate", None)
    with django_assert_max_num_queries(4):
        said(rated)


@pytest.mark.parametrize("value", np.geomspace(0.001, 90, 37).tolist())
def test_round_numbers_are_not_far_below(value) -> None:
    assert 0.66 * value < more_ratings.below(value) <= value * (1 + 1e-9)


def test_a_study_of_many_systems_reads_more_than_a_few_prompts() -> None:
    many = sizing.Sizes(20, Design(50, 10), None, "")
    assert many.enough(more_ratings.MOST) == 15 * 20 * 10
    assert sizes(50, 3).enough(more_ratings.MOST) == more_ratings.MOST
