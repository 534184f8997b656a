from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring import analyses
from scoring.analyses.drift.numbers import NO_SYSTEMS, Options
from scoring.stats.data import Data
from scoring.stats.signature import parse
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.support import shared

DATA = made.data(prompts=20, systems=3, seed=3)
SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


def run(data: Data, **chosen) -> dict:
    return analyses.run("drift", data, Options(**{"repeats": 3, **chosen}))


@pytest.mark.parametrize("coefficient", SCIPY)
def test_a_system_s_number_is_scipy_s_on_its_texts_alone(coefficient):
    found = run(DATA, coefficient=coefficient)
    human = DATA.human_scores()[:, 0]
    for output, row in zip(found["outputs"], found["model"]["rows"], strict=True):
        x = DATA.metric_scores()[:, DATA.output(output["id"])]
        for system, cell in zip(found["model"]["systems"], row["within"], strict=True):
            texts = (DATA.texts.system == system["place"]) & np.isfinite(human)
            expected = getattr(stats, SCIPY[coefficient])(x[texts], human[texts])[0]
            assert cell["value"] == pytest.approx(expected)
            assert cell["n"] == texts.sum() == system["n"]
            assert cell["low"] < cell["value"] < cell["high"]
        values = [cell["value"] for cell in row["within"]]
        assert row["std"]["value"] == pytest.approx(np.std(values, ddof=1))


def test_people_s_spread_stands_beside():
    found = run(DATA)
    human = DATA.human_scores()[:, 0]
    for system in found["model"]["systems"]:
        rated = human[DATA.texts.system == system["place"]]
        assert system["mean"] == pytest.approx(np.nanmean(rated))
        assert system["std"] == pytest.approx(np.nanstd(rated, ddof=1))


def test_a_metric_that_only_tells_systems_apart_agrees_over_all_texts_alone():
    scores = DATA.scores.copy()
    scores[:, 0] = DATA.texts.system + np.random.default_rng(0).normal(size=60) * 0.1
    row = run(replace(DATA, scores=scores))["model"]["rows"][0]
    assert row["pooled"]["low"] > 0.15
    assert all(cell["low"] < 0 for cell in row["within"])


def test_lower_is_better_turns_the_sign():
    turned = [replace(DATA.outputs[0], higher_is_better=False), *DATA.outputs[1:]]
    usual = run(DATA)["quality"]["rows"][0]["subsets"]
    found = run(replace(DATA, outputs=turned))["quality"]["rows"][0]["subsets"]
    for one, other in zip(usual, found, strict=True):
        assert one["mean"]["value"] == pytest.approx(-other["mean"]["value"])


def test_subsets_lean_from_poor_to_good():
    found = run(DATA, repeats=20)["quality"]
    means = [subset["mean"] for subset in found["subsets"]]
    assert means == sorted(means) and means[0] < means[-1] - 0.5
    assert sum(found["subsets"][0]["counts"]) == pytest.approx(30, abs=15)
    assert len(found["edges"]) == 6


def test_mean_and_spread_are_over_the_draws_and_the_first_is_one_of_them():
    one = run(DATA, repeats=1)["quality"]["rows"][0]["subsets"][0]
    assert one["mean"]["value"] == one["first"]["value"] and one["std"] is None
    many = run(DATA, repeats=5)["quality"]["rows"][0]["subsets"][0]
    assert many["first"]["value"] == one["first"]["value"]
    assert many["std"] > 0


def test_a_metric_s_numbers_do_not_depend_on_which_others_are_shown():
    alone = run(DATA, outputs=("judge:q1",))
    both = run(DATA)
    assert [one["id"] for one in alone["outputs"]] == ["judge:q1"]
    assert alone["model"]["rows"][0] == both["model"]["rows"][1]
    assert alone["quality"]["rows"][0] == both["quality"]["rows"][1]


def test_metrics_meant_for_the_aspect_come_first_and_of_others_none():
    outputs = [
        made.output("odd", higher_is_better=None),
        made.output("other", measures="fluency"),
        made.output("own", measures="coherence"),
    ]
    scores = np.random.default_rng(1).normal(size=(60, 3))
    data = replace(DATA, outputs=outputs, scores=scores, evaluators=[])
    assert [one["key"] for one in run(data)["outputs"]] == ["own"]
    found = run(data, aspect="fluency", outputs=("judge:odd", "judge:other"))
    assert [one["key"] for one in found["outputs"]] == ["other", "odd"]
    assert found["outputs"][1]["badges"] == ["no direction"]


def test_without_names_of_systems_it_says_so():
    found = run(made.without_systems(DATA))
    assert found["model"]["reason"] == NO_SYSTEMS and not found["model"]["rows"]
    assert found["quality"]["rows"][0]["stability"]["value"] is not None


def test_signatures_say_which_texts_they_are_of():
    found = run(DATA, with_discarded=True, prompts="1-20")
    (row, *_) = found["model"]["rows"]
    parts = parse(row["within"][0]["signature"])
    assert (parts["group"], parts["texts"]) == ("none", "system=s0")
    assert parts["qc"] == "none"
    assert parts["prompts"] == "1-20" and parts["unit"] == "prompts"
    assert parse(row["pooled"]["signature"])["group"] == "prompt"
    last = found["quality"]["rows"][0]["subsets"][3]
    assert parse(last["mean"]["signature"])["repeats"] == "3"
    assert parse(last["first"]["signature"])["repeats"] == "1"


@pytest.mark.slow
@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    prompts=st.sampled_from([1, 2, 4]),
    systems=st.sampled_from([1, 3]),
    raters=st.sampled_from([0, 1, 2]),
    coefficient=st.sampled_from(list(SCIPY)),
    nameless=st.booleans(),
    flat=st.booleans(),
)
def test_any_study_has_numbers_or_reasons(
    prompts, systems, raters, coefficient, nameless, flat
):
    data = made.data(prompts=prompts, systems=systems, raters=raters)
    if nameless:
        data = made.without_systems(data)
    if flat:
        data = replace(data, scores=np.ones_like(data.scores))
    everything("drift", run(data, coefficient=coefficient, repeats=2))


@pytest.mark.parametrize("aspects", [[], made.data().aspects])
def test_nothing_at_all_is_no_error(aspects):
    none = made.data().only(np.zeros(18, bool))
    everything("drift", run(replace(none, aspects=aspects)))


def test_the_systems_of_the_sentiment_task_are_those_of_each_fourth_text():
    """Human scores and lengths of the paper's data: what awk and scipy give."""
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line.strip()]
    n = len(rows)
    base = made.data(prompts=n // 4, systems=4, raters=1, negatives=False)
    words = np.array([len(row[2].split()) for row in rows], float)
    human = np.array([float(row[3]) for row in rows])
    outputs = [made.output("words", metric="length")]
    data = replace(
        base, outputs=outputs, scores=words[:, None], evaluators=[], **means(human)
    )
    (row,) = run(data)["model"]["rows"]
    for s, cell in enumerate(row["within"]):
        expected = stats.pearsonr(words[s::4], human[s::4])[0]
        assert cell["n"] == 90 and cell["value"] == pytest.approx(expected)


def means(human: np.ndarray) -> dict:
    """Imported means of the first aspect in place of single ratings."""
    base = made.data(raters=0)
    whole = np.arange(len(human))
    columns = (whole, np.zeros_like(whole), human, np.full(len(human), 5))
    return {"ratings": base.ratings, "means": type(base.means)(*columns)}
