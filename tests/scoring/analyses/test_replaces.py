"""May a metric replace a rater: the whole analysis."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses.replaces import numbers
from scoring.stats.data import Data
from tests.scoring import made
from tests.support import shared


def result(data: Data, **chosen) -> dict:
    return analyses.run("replaces", data, analyses.options("replaces", chosen))


def coherence(**facts) -> Data:
    usual = {"prompts": 40, "aspects": ("coherence",), "noise": (0.3, 9.0)}
    return made.data(**{**usual, **facts})


def row(found: dict, name: str) -> dict:
    one = found["aspects"][0]
    return next(r for r in (*one["rows"], *one["trivial"]) if name in r["name"])


def with_raters(data: Data, names: np.ndarray) -> Data:
    return replace(data, ratings=replace(data.ratings, rater=names))


@pytest.fixture(scope="module")
def found() -> dict:
    return result(coherence(prompts=80))


def test_a_close_metric_may_and_a_noisy_one_may_not(found):
    assert row(found, "q0")["code"] == "yes"
    assert row(found, "q1")["code"] == "no"
    sentence = found["aspects"][0]["sentence"]
    assert sentence.startswith(
        "You may let judge: q0 replace a crowdworker for coherence, on texts like these"
    )


def test_constants_and_every_sentinel_stand_in_the_same_table(found):
    keys = [r["key"] for r in found["aspects"][0]["trivial"]]
    assert keys == ["mean", "mode", "length", "surface", "prompt", "system"]
    assert all(r["n_raters"] == 3 for r in found["aspects"][0]["trivial"])


def test_a_length_is_not_a_metric(found):
    assert all("length" not in r["name"] for r in found["aspects"][0]["rows"])


def test_a_constant_that_passes_the_test_decides_nothing():
    # Nine of ten ratings are a 4.
    data = coherence()
    rng = np.random.default_rng(1)
    value = np.where(rng.random(len(data.ratings)) < 0.9, 4, data.ratings.value)
    data = replace(data, ratings=replace(data.ratings, value=value))
    found = result(data, epsilon=0.2)
    assert row(found, "always answering 4")["passes"]
    assert "yes" not in {r["code"] for r in found["aspects"][0]["rows"]}


def test_scores_on_the_scale_enter_as_they_are():
    data = coherence()
    scores = data.scores.copy()
    scores[:, 0] = np.clip(scores[:, 0] + 3, 1, 5)
    found = result(replace(data, scores=scores))
    assert not row(found, "q0")["mapped"] and row(found, "q1")["mapped"]


def test_a_metric_that_runs_the_other_way_is_turned():
    data = coherence()
    first = replace(data.outputs[0], higher_is_better=False)
    turned = replace(
        data,
        outputs=[first, *data.outputs[1:]],
        scores=data.scores * np.r_[-1, np.ones(data.scores.shape[1] - 1)],
    )
    same, other = (row(result(d), "q0") for d in (data, turned))
    assert same["winning"]["value"] == other["winning"]["value"]
    assert same["advantage"] == other["advantage"]


def test_an_aspect_of_which_low_is_good_gives_the_same_answer():
    data = coherence()
    turned = replace(
        data,
        aspects=[replace(data.aspects[0], higher_is_better=False)],
        ratings=replace(data.ratings, value=6 - data.ratings.value),
    )
    same, other = (row(result(d), "q0") for d in (data, turned))
    assert same["advantage"]["value"] == pytest.approx(other["advantage"]["value"])
    assert same["published"]["value"] == other["published"]["value"]


def test_a_metric_without_direction_is_named_and_left_out():
    data = coherence()
    first = replace(data.outputs[0], higher_is_better=None)
    found = result(replace(data, outputs=[first, *data.outputs[1:]]))["aspects"][0]
    assert found["undirected"] == ["judge: q0"]
    assert len(found["rows"]) == 1


def test_equality_compares_points_of_the_scale():
    found = result(coherence(), closeness="equal")
    one = row(found, "q0")
    assert found["aspects"][0]["closeness"] == "equal"
    # Mapped scores are no whole numbers: rounded, they equal ratings.
    assert 0.3 < one["advantage"]["value"] < 1


def test_a_rater_of_few_texts_counts_among_the_others_only():
    data = coherence()
    names = np.where(data.ratings.text < 25, data.ratings.rater, "guest")
    names = np.where(data.ratings.rater == "w2", names, data.ratings.rater)
    found = result(with_raters(data, names))["aspects"][0]
    assert (found["n_raters"], found["n_few"]) == (3, 1)


def test_without_30_texts_of_two_people_the_question_is_open():
    found = result(coherence(prompts=6))["aspects"][0]
    reason = "fewer than 30 texts have ratings by two people"
    assert found["sentence"].startswith("This study cannot tell")
    assert {r["winning"]["reason"] for r in found["rows"]} == {reason}


def test_where_nothing_can_be_compared_it_says_what_to_do_about_it():
    data = coherence()
    nobody = replace(data.ratings, valid=np.zeros(len(data.ratings), bool))
    one = result(replace(data, ratings=nobody))["aspects"][0]
    assert one["sentence"].endswith(": nobody has rated these texts on this aspect.")
    assert one["why"].startswith("Ask at least two people")
    one = result(replace(data, outputs=[], scores=data.scores[:, :0]))["aspects"][0]
    assert one["sentence"].endswith(": no metric has scored these texts.")
    assert one["why"] == "Score them with a metric."
    aimless = [replace(one, higher_is_better=None) for one in data.outputs]
    one = result(replace(data, outputs=aimless))["aspects"][0]
    assert one["sentence"].endswith(f": {numbers.UNDIRECTED}.")
    assert one["why"] == "Score them with another metric."


def test_of_a_judge_over_the_network_it_says_that_it_may_cost_money():
    data = coherence()
    first = replace(data.outputs[0], signature="llm_judge|endpoint:lab/tiny|v:1")
    found = result(replace(data, outputs=[first, *data.outputs[1:]]))["aspects"][0]
    assert found["why"].endswith("over the network, which may cost money.")


def test_of_a_crowd_of_whom_nobody_rated_enough_ratings_are_drawn():
    data = coherence()
    names = np.char.add(data.ratings.rater, (data.ratings.text // 10).astype(str))
    found = result(with_raters(data, names))["aspects"][0]
    assert (found["drawn"], found["n_raters"], found["n_few"]) == ("few", 3, 36)


def test_ratings_without_names_are_drawn_at_random():
    data = coherence()
    found = result(with_raters(data, np.full(len(data.ratings), "")))["aspects"][0]
    assert found["drawn"] == "unnamed"
    assert [r["name"] for r in found["rows"][0]["raters"]] == [
        "rating 1",
        "rating 2",
        "rating 3",
    ]


def test_texts_without_names_are_shuffled_by_the_seed():
    data = coherence()
    data = with_raters(data, np.full(len(data.ratings), ""))
    one, same, other = (result(data, seed=seed) for seed in (0, 0, 1))
    assert one == same
    assert row(one, "q0")["advantage"] != row(other, "q0")["advantage"]


def test_the_tests_of_the_metric_in_the_sentence_are_shown_rater_by_rater(found):
    one = found["aspects"][0]
    lead, *others = one["rows"]
    assert lead["output"]["id"] == one["lead"]
    wins = [rater["wins"] for rater in lead["raters"]]
    assert np.mean(wins) == lead["winning"]["value"]
    assert all(r["raters"] == [] for r in others)


def test_texts_are_split_by_how_sure_people_are(found):
    parts = row(found, "q0")["parts"]
    assert len(parts) == 3
    assert sum(part["n_texts"] for part in parts) <= found["aspects"][0]["n_texts"]
    assert parts[0]["advantage"]["value"] != parts[2]["advantage"]["value"]


def test_a_constant_is_far_from_the_ratings_as_people_give_them(found):
    distances = [row(found, name)["distance"]["value"] for name in ("q0", "always")]
    assert distances[0] < distances[1] <= 1


def test_ratings_of_mans_are_sorted_so_raters_count_as_unnamed():
    path = shared.path("data/openmeva_mans/mans_roc.json")
    studied = list(json.loads(path.read_text()).values())[:40]
    rated = [(t, s["score"]) for t, s in _texts(studied)]
    data = made.data(prompts=40, systems=5, raters=5, aspects=("coherence",))
    value = np.array([score for _, scores in rated for score in scores])
    data = replace(data, ratings=replace(data.ratings, value=value))
    data = replace(data, ratings=replace(data.ratings, valid=np.ones(len(value), bool)))
    found = result(data)["aspects"][0]
    assert (found["drawn"], found["n_raters"]) == ("unnamed", 5)


def _texts(studied: list) -> list:
    return [(t, s) for t, one in enumerate(studied) for s in one["gen"].values()]
