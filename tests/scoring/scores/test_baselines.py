"""Lengths stand in every table, without a run and with its numbers."""

import numpy as np
import pytest
from django.core.cache import cache

from scoring.metrics import Example, get
from scoring.results import overview
from scoring.scores import baselines
from tests.support.scored import COHERENCE, rate, score

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 4]]


@pytest.fixture
def study(make_study):
    cache.clear()
    study = make_study()
    # Beside texts that begin with their prefix: one that does not, and no text.
    for text, generation in zip(
        ("One. Two!", ""), study.generations.all(), strict=False
    ):
        study.generations.filter(pk=generation.pk).update(text=text)
    rate(study, "coherence", RATINGS)
    return study


def rows(study):
    return [row for row in overview.now(study=study)["correlations"] if row["baseline"]]


def ids(study):
    return np.array(study.generations.order_by("pk").values_list("pk", flat=True))


def test_they_are_what_the_metric_would_give(study):
    texts = study.generations.order_by("pk").select_related("prompt")
    scorer = get("length")().load("cpu")
    expected = scorer([Example(text.full_text) for text in texts])
    found = baselines.lengths(study=study, generations=ids(study))
    assert [one.output.key for one in found] == ["words", "characters", "sentences"]
    for one in found:
        assert one.values.tolist() == expected.values[one.output.key].tolist()
    assert {row["signature"] for row in rows(study)} == {scorer.signature}


def test_they_go_with_any_choice_of_texts(study):
    chosen = ids(study)[[5, 1]]
    both = baselines.lengths(study=study, generations=chosen)[0].values
    everything = baselines.lengths(study=study, generations=ids(study))[0].values
    assert both.tolist() == [everything[5], everything[1]]


def test_each_stands_beside_each_aspect_after_the_metrics(study):
    score(study, COHERENCE, range(8))
    found = overview.now(study=study)["correlations"]
    assert [row["baseline"] for row in found] == [False] * 3 + [True] * 9
    assert {row["n"] for row in rows(study) if row["human_aspect"] == "coherence"} == {
        8
    }


def test_nothing_is_counted_before_anybody_has_rated(make_study):
    assert overview.now(study=make_study())["correlations"] == []


def test_a_run_of_the_metric_takes_their_place(study):
    words = get("length")().outputs[0]
    made = score(study, words, range(8), metric="length", signature="length|v:1")
    assert {row["signature_id"] for row in rows(study)} == {made.pk}
    assert len(rows(study)) == 3


def test_texts_are_read_once_until_some_are_added(study, django_assert_num_queries):
    nothing = np.array([], dtype=int)
    with django_assert_num_queries(2):
        before = baselines.lengths(study=study, generations=nothing)
    with django_assert_num_queries(1):
        baselines.lengths(study=study, generations=nothing)
    old = study.generations.last()
    old.pk, old.key, old.sample = None, "new", 9
    old.save()
    after = baselines.lengths(study=study, generations=np.array([old.pk]))
    assert len(before[0].values) == 0 and after[0].values[0] > 0


def test_sentences_of_many_texts_are_left_to_a_run(study, monkeypatch):
    monkeypatch.setattr(baselines, "SPLIT_AT_ONCE", 7)
    found = {
        r["metric_aspect"]: r for r in rows(study) if r["human_aspect"] == "coherence"
    }
    assert found["words"]["pearson"] is not None
    assert found["sentences"]["pearson"] is None
    assert found["sentences"]["reason"] == baselines.TOO_MANY
