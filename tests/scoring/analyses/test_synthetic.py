from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from scoring import analyses
from scoring.analyses.synthetic.numbers import Options
from scoring.stats.data import Data, System
from scoring.stats.signature import parse
from tests.scoring import made
from tests.scoring.analyses.shown import everything


def run(data: Data, **chosen) -> dict:
    return analyses.run("synthetic", data, Options(**chosen))


def with_people(data: Data, place: int = -1) -> Data:
    """One of its systems is people; of the made-up ones the last writes best."""
    systems = list(data.systems)
    systems[place] = System("people", "human")
    return replace(data, systems=systems)


DATA = with_people(made.data(prompts=12, systems=4, seed=2))


def row_of(found: dict, id: str) -> dict:
    return next(row for row in found["rows"] if row["id"] == id)


def test_what_is_real_is_known_from_the_kind_of_a_system():
    found = run(DATA)
    assert (found["real"], found["synthetic"]) == (["people"], ["s0", "s1", "s2"])
    assert (found["n_real"], found["n_synthetic"]) == (12, 36)


@pytest.mark.parametrize(
    ("chosen", "real", "synthetic"),
    [
        ({"real": ("s1",)}, ["s1"], ["s0", "s2", "people"]),
        ({"synthetic": ("s1",)}, ["people"], ["s1"]),
        ({"real": ("s0", "people"), "synthetic": ("s2",)}, ["s0", "people"], ["s2"]),
        ({"systems": ("s0", "people")}, ["people"], ["s0"]),
    ],
)
def test_either_side_can_be_chosen(chosen, real, synthetic):
    found = run(DATA, **chosen)
    assert found["reason"] is None
    assert (found["real"], found["synthetic"]) == (real, synthetic)


@pytest.mark.parametrize(
    ("data", "chosen", "said"),
    [
        (made.data(), {}, "marked as people"),
        (with_people(made.data(systems=1)), {}, "all texts are by people"),
        (DATA, {"real": ("s0",), "synthetic": ("s0", "s1")}, "on both sides: s0"),
        (made.without_systems(made.data()), {}, "marked as people"),
    ],
)
def test_without_two_kinds_of_texts_it_says_why(data, chosen, said):
    found = run(data, **chosen)
    assert said in found["reason"] and found["rows"] == []


def test_the_area_is_that_under_the_roc_curve():
    found = run(DATA)
    real = DATA.texts.system == 3
    for place, output in enumerate(DATA.outputs):
        area = row_of(found, output.id)["area"]
        expected = 100 * roc_auc_score(real, DATA.metric_scores()[:, place])
        assert area["value"] == pytest.approx(expected)
        assert area["low"] < area["value"] < area["high"]


def test_human_scores_have_rows_of_their_own():
    found = run(DATA)
    assert [row["people"] for row in found["rows"]] == [True] * 2 + [False] * 3
    human = DATA.human_scores()[:, 0]
    known = np.isfinite(human)
    real = (DATA.texts.system == 3)[known]
    expected = 100 * roc_auc_score(real, human[known])
    assert found["rows"][0]["area"]["value"] == pytest.approx(expected)


def test_texts_of_one_prompt_are_paired():
    found = run(DATA)
    assert (found["match"], found["n_pairs"]) == ("prompt", 36)
    scores = DATA.metric_scores()[:, 0].reshape(12, 4)
    share = (scores[:, 3:] > scores[:, :3]).mean()
    row = row_of(found, DATA.outputs[0].id)
    assert row["strict"]["value"] == pytest.approx(share)
    assert row["half"]["value"] == pytest.approx(share)


def test_twins_are_paired_by_their_id_alone():
    pair = np.full(48, "", "U4")
    pair[3], pair[4], pair[8], pair[12] = "x", "x", "y", "y"  # real, s0, s0, s0
    found = run(replace(DATA, texts=replace(DATA.texts, pair=pair)))
    assert (found["match"], found["n_pairs"]) == ("pair", 1)


def test_twins_of_two_prompts_have_an_interval():
    people = np.array([one.name for one in DATA.systems])[DATA.texts.system] == "people"
    pair = np.full(48, "", "U4")
    pair[people] = [f"p{k}" for k in range(12)]
    pair[DATA.texts.system == 0] = [f"p{k}" for k in range(12)]
    texts = replace(DATA.texts, pair=pair, prompt=np.where(people, 0, 1))
    found = run(replace(DATA, texts=texts))
    assert (found["match"], found["n_pairs"]) == ("pair", 12)
    half = row_of(found, DATA.outputs[0].id)["half"]
    assert half["low"] is not None and half["high"] is not None


def test_ties_are_lost_or_half():
    data = replace(DATA, scores=np.ones_like(DATA.scores))
    row = row_of(run(data), DATA.outputs[0].id)
    assert (row["strict"]["value"], row["half"]["value"]) == (0, 0.5)
    assert (row["n_ties"], row["area"]["value"]) == (36, 50)


def test_batches_are_smaller_where_there_are_fewer_texts():
    assert run(DATA)["batches"] == {"n": 10, "real": 10, "synthetic": 36}
    found = run(DATA, n_real=3, n_synthetic=5, n_batches=4)
    assert found["batches"] == {"n": 4, "real": 3, "synthetic": 5}
    curve = found["rows"][0]["curve"]
    assert len(curve["k"]) == 8 and curve["mean"][-1] == pytest.approx(1)


def test_a_lower_loss_is_more_real():
    outputs = [replace(DATA.outputs[0], higher_is_better=False), *DATA.outputs[1:]]
    turned, plain = (
        run(data)["rows"][2]["area"]["value"]
        for data in (replace(DATA, outputs=outputs), DATA)
    )
    assert turned == pytest.approx(100 - plain)


def test_texts_without_prompts_are_drawn_one_by_one():
    texts = replace(DATA.texts, prompt=np.zeros(48, int))
    found = run(replace(DATA, texts=texts))
    assert found["unit"] == "samples" and found["n_pairs"] == 12 * 36
    area = row_of(found, DATA.outputs[1].id)["area"]
    assert parse(area["signature"])["interval"] == "delong"
    assert area["low"] < area["value"] < area["high"]


def test_only_the_chosen_metrics_are_shown():
    found = run(DATA, outputs=(DATA.outputs[1].id,))
    assert [row["id"] for row in found["rows"][2:]] == [DATA.outputs[1].id]


def test_an_area_says_how_it_was_made():
    said = parse(row_of(run(DATA, seed=3), DATA.outputs[0].id)["batch"]["signature"])
    assert said["statistic"] == "pick-up area"
    assert (said["batch"], said["batches"], said["seed"]) == ("10/36", "10", "3")
    assert (said["real"], said["synthetic"]) == ("people", "s0,s1,s2")


@settings(max_examples=12, deadline=None)
@given(
    prompts=st.integers(1, 4),
    systems=st.integers(1, 3),
    raters=st.integers(0, 2),
    kind=st.sampled_from(
        ["", "gaps", "no scores", "constant", "one prompt", "infinite"]
    ),
    discarded=st.sampled_from([0.0, 1.0]),
    n_batches=st.integers(1, 3),
)
def test_whatever_the_study_is_there_is_a_page(
    prompts, systems, raters, kind, discarded, n_batches
):
    data = with_people(
        made.data(
            prompts=prompts,
            systems=systems,
            raters=raters,
            discarded=discarded,
            negatives=False,
        )
    )
    scores = data.scores.copy()
    if kind == "gaps":
        scores[::2] = np.nan
    if kind == "constant":
        scores[:] = 1
    if kind == "infinite":
        scores[0] = np.inf
    data = replace(data, scores=scores)
    if kind == "no scores":
        data = replace(data, outputs=[], scores=np.empty((0, 0)))
    if kind == "one prompt":
        one = np.zeros(len(data.texts), int)
        data = replace(data, texts=replace(data.texts, prompt=one))
    everything("synthetic", run(data, n_batches=n_batches))
