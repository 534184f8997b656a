from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from scoring import analyses
from scoring.analyses.references.numbers import Options
from scoring.stats import compare
from scoring.stats.data import Data, Output
from tests.scoring import made
from tests.scoring.analyses.shown import everything

BASE = made.data(prompts=20, seed=3)
N = len(BASE.texts)
NAN = np.nan


def run(data: Data, **chosen) -> dict:
    return analyses.run("references", data, Options(**{"grouping": "none", **chosen}))


def output(kind: str, metric: str = "ter", **options) -> Output:
    options = {"reference_kind": kind, **options}
    plain = made.output(
        metric, metric=metric, options=json.dumps(options), higher_is_better=False
    )
    named = "-".join(str(one) for one in options.values())
    return replace(plain, id=f"{named}:{metric}", signature=f"{metric}|{named}")


def data(*outputs: Output, scores: np.ndarray) -> Data:
    return replace(BASE, outputs=list(outputs), scores=scores, evaluators=[])


def noisy(*spreads: float) -> np.ndarray:
    """Scores that follow the first metric less and less; lower is better."""
    noise = np.random.default_rng(4).normal(size=(N, len(spreads)))
    return -BASE.scores[:, :1] + noise * spreads


THREE = data(
    output("prewritten"),
    output("targeted"),
    output("all"),
    scores=noisy(3.0, 0.1, 1.0),
)


class TestEffort:
    @pytest.fixture
    def hter(self):
        values = np.full((N, 1), NAN)
        values[:6, 0] = [0, 0, 10, 10.1, 100, 500]
        return run(data(output("targeted"), scores=values))["effort"][0]

    def test_bins_have_nothing_changed_alone_and_leave_out_their_lower_end(self, hter):
        assert hter["rows"][0]["counts"] == [2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]

    def test_what_is_known_of_all_texts(self, hter):
        every = hter["rows"][0]
        assert every["mean"]["value"] == pytest.approx(620.1 / 6)
        assert (every["median"], every["untouched"]) == (10.05, 2)
        assert (every["mean"]["n"], hter["without"]) == (6, N - 6)

    def test_and_of_each_system(self, hter):
        found = [row["counts"] for row in hter["rows"][1:]]
        assert len(found) == 3
        assert np.sum(found, axis=0).tolist() == hter["rows"][0]["counts"]

    def test_a_system_without_corrections_has_a_reason(self):
        values = np.where(BASE.texts.system == 0, 10.0, NAN)[:, np.newaxis]
        (found,) = run(data(output("targeted"), scores=values))["effort"]
        assert found["rows"][2]["mean"]["value"] is None
        assert "nobody corrected" in found["rows"][2]["mean"]["reason"]

    def test_ter_with_other_references_is_no_hter(self):
        result = run(data(output("prewritten"), scores=noisy(1.0)))
        assert result["effort"] == []
        other = output("targeted", metric="chrf")
        assert run(data(other, scores=noisy(1.0)))["effort"] == []


class TestKinds:
    def test_each_kind_is_held_against_people(self):
        (row,) = run(THREE)["rows"]
        human = BASE.human_scores()[:, 0]
        there = np.isfinite(human)
        expected = [
            stats.pearsonr(-THREE.scores[there, k], human[there])[0] for k in range(3)
        ]
        assert [one["value"] for one in row["values"]] == pytest.approx(expected)
        assert row["scored"] == [0, 1, 2]

    def test_differences_are_to_prewritten_references(self):
        (row,) = run(THREE)["rows"]
        values = [one["value"] for one in row["values"]]
        first, *others = row["differences"]
        assert first["difference"]["value"] is None
        assert [d["difference"]["value"] for d in others] == pytest.approx(
            [values[1] - values[0], values[2] - values[0]]
        )
        assert others[0]["difference"]["low"] > 0 and others[0]["p"] < 0.05

    def test_p_is_corrected_for_all_tests_of_the_table(self):
        result = run(THREE)
        p = [d["p"] for d in result["rows"][0]["differences"] if d["p"] is not None]
        adjusted = [d["adjusted"] for d in result["rows"][0]["differences"][1:]]
        assert result["family"] == 2
        assert adjusted == pytest.approx(compare.holm(np.array(p)).tolist())

    def test_all_kinds_are_compared_on_the_same_texts(self):
        scores = THREE.scores.copy()
        scores[::3, 1] = NAN  # nobody corrected these
        (row,) = run(replace(THREE, scores=scores))["rows"]
        assert {one["n"] for one in row["values"]} == {row["n"]}
        assert row["n"] < N

    def test_one_kind_is_nothing_to_compare(self):
        result = run(data(output("all"), scores=noisy(1.0)))
        assert result["rows"] == [] and len(result["alone"]) == 1

    def test_a_kind_that_was_not_run_has_a_reason_and_is_not_tested(self):
        two = data(output("targeted"), output("all"), scores=noisy(0.1, 1.0))
        result = run(two)
        (row,) = result["rows"]
        assert row["values"][0]["value"] is None
        assert "not run with this kind" in row["values"][0]["reason"]
        assert row["scored"] == [1, 2] and result["family"] == 1

    def test_other_options_are_another_metric(self):
        mixed = data(
            output("prewritten", case_sensitive=False),
            output("targeted", case_sensitive=True),
            scores=noisy(0.1, 1.0),
        )
        assert run(mixed)["rows"] == []

    def test_metrics_without_references_are_not_there(self):
        plain = made.output("own", metric="fill", options='{"model": "x"}')
        result = run(data(plain, scores=noisy(1.0)))
        assert (result["rows"], result["alone"]) == ([], [])


def test_the_page_shows_every_number():
    everything("references", run(THREE))


@pytest.mark.parametrize("outputs", [[], [output("all")]])
def test_or_says_what_is_missing(outputs):
    scores = noisy(*[1.0] * len(outputs)) if outputs else np.empty((N, 0))
    everything("references", run(data(*outputs, scores=scores)))
