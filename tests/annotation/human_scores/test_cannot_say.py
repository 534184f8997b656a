"""Answers without a number: kept and counted as answers, never as ratings."""

from __future__ import annotations

import numpy as np
import pytest

from annotation import answering, exports, human_scores
from annotation.human_scores import single_ratings
from annotation.models import Annotation, Aspect
from annotation.watching import monitor
from tests.annotation.seating import NOON, lay_out, page, sit, state


@pytest.fixture
def study(make_study):
    """One survey of four texts; coherence is a slider on which one may pass."""
    study = make_study(prompts=1, ratings_per_text=2)
    study.aspects.filter(key="coherence").update(
        kind=Aspect.Kind.SLIDER, cannot_say=True, level=Aspect.Level.INTERVAL
    )
    lay_out(study)
    return study


def submit(study, name, said, *, unsaid=False):
    """Coherence of real texts is `said`, or cannot be said of any of them."""
    seat = sit(study, name)
    answers = page(seat, real=3)
    for at, value in answers.items():
        if at[1] == "coherence":
            answers[at] = said if value == 3 else 0
            if unsaid and value == 3:
                answers[at] = None
    return answering.submit(seat=seat, answers=answers, now=NOON)


def test_a_page_with_them_is_complete_and_fills_its_place(study):
    seat = submit(study, "ann", None, unsaid=True)
    assert state(seat) == "valid"
    assert [one.units[0] for one in monitor.filled(study=study)][1:] == [4, 0]


def test_it_is_no_answer_where_the_question_does_not_offer_it(study):
    seat = sit(study, "ann")
    with pytest.raises(answering.BadAnswer):
        answering.save(seat=seat, position=1, aspect="relevance", value=None, now=NOON)


def test_an_answer_of_another_question_s_scale_is_refused(study):
    seat = sit(study, "ann")
    answering.save(seat=seat, position=1, aspect="coherence", value=70, now=NOON)
    with pytest.raises(answering.BadAnswer):
        answering.save(seat=seat, position=1, aspect="relevance", value=70, now=NOON)


def test_they_count_in_no_mean_and_no_table_of_ratings(study):
    submit(study, "ann", 40)
    submit(study, "ben", None, unsaid=True)
    found = human_scores.means(study=study)
    column = found.aspects.index("coherence")
    assert found.values[:, column].tolist() == [40] * 4
    assert found.n_ratings[:, column].tolist() == [1] * 4
    coherence = study.aspects.get(key="coherence")
    counts = human_scores.counts(study=study, aspect=coherence)
    assert counts.values.tolist() == list(range(101))
    assert counts.counts.sum() == 4
    assert len(single_ratings.of_texts(study=study).value) == 4 + 2 * 8


def test_they_are_counted_for_the_researcher(study):
    submit(study, "ann", 40)
    submit(study, "ben", None, unsaid=True)
    coherence = study.aspects.get(key="coherence")
    assert human_scores.unsaid(study=study) == {coherence.pk: 4}
    found = single_ratings.unsaid(study=study)
    assert set(found.aspect.tolist()) == {coherence.pk}
    assert found.valid.all() and len(np.unique(found.rater)) == 1


def test_where_all_say_nothing_there_is_no_score_at_all(study):
    submit(study, "ann", None, unsaid=True)
    found = human_scores.means(study=study)
    assert np.isnan(found.values[:, found.aspects.index("coherence")]).all()


def test_an_export_says_so_and_has_no_number(study):
    submit(study, "ann", None, unsaid=True)
    rows = [row for row in exports.annotations(study=study) if row["cannot_say"]]
    assert [(row["aspect"], row["value"]) for row in rows] == [("coherence", None)] * 4
    assert Annotation.objects.filter(value=0).exists()  # which is a number
