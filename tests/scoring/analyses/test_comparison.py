"""Two metrics against people, by hand and against other programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import analyses
from scoring.analyses.comparison.numbers import Options
from scoring.stats import jackknife, power, signature
from scoring.stats.data import Data
from tests.scoring import made
from tests.scoring.shapes import CORRELATING, check_cells, small

FIRST, SECOND = "judge:q0", "judge:q1"


def run(data: Data, **options: Any) -> dict[str, Any]:
    return analyses.run("comparison", data, Options(**options))


def ids(result: dict[str, Any]) -> list[str]:
    return [output["id"] for output in result["outputs"]]


def copied(data: Data) -> Data:
    """The second metric says ten times what the first does."""
    scores = data.scores.copy()
    scores[:, 1] = 10 * scores[:, 0]
    return replace(data, scores=scores)


class TestAgainstPeople:
    def test_texts_come_by_the_difference_of_ranks_the_largest_first(self):
        found = run(made.data())["against_people"]
        for one in found:
            apart = [abs(row["difference"]) for row in one["rows"]]
            assert apart == sorted(apart, reverse=True) and len(apart) > 2
            for row in one["rows"]:
                assert row["difference"] == pytest.approx(row["metric"] - row["people"])

    def test_a_text_that_the_metric_alone_likes_stands_first(self):
        data = made.data(prompts=12, noise=(0.01, 0.01))
        worst = int(np.nanargmin(data.human_scores()[:, 0]))
        scores = data.scores.copy()
        scores[worst, 0] = scores[:, 0].max() + 1
        found = run(replace(data, scores=scores), first=FIRST, second=SECOND)
        row = found["against_people"][0]["rows"][0]
        assert row["key"] == str(data.texts.key[worst])
        assert row["difference"] > 80

    def test_the_aspect_is_the_one_that_the_metric_is_meant_for(self):
        data = made.data()
        meant = replace(data.outputs[0], measures="fluency")
        data = replace(data, outputs=[meant, *data.outputs[1:]])
        found = run(data, first=FIRST, second=SECOND)["against_people"]
        assert [one["aspect"] for one in found] == ["Fluency", "Coherence"]


class TestChoice:
    def test_without_one_it_is_the_two_metrics_closest_to_people(self):
        assert ids(run(made.data(noise=(3.0, 0.2, 0.5)))) == ["judge:q1", "judge:q2"]

    def test_a_length_is_not_among_them_where_there_are_others(self):
        assert "length:words" not in ids(run(made.data(noise=(5.0, 5.0))))

    def test_a_metric_without_direction_is_not_among_them(self):
        data = made.data(noise=(0.2, 3.0, 5.0))
        first = replace(data.outputs[0], higher_is_better=None)
        data = replace(data, outputs=[first, *data.outputs[1:]])
        assert ids(run(data)) == ["judge:q1", "judge:q2"]

    @pytest.mark.parametrize(
        ("first", "second", "found"),
        [
            (SECOND, FIRST, [SECOND, FIRST]),
            (SECOND, "", [SECOND, FIRST]),
            ("", FIRST, [SECOND, FIRST]),
            (FIRST, FIRST, [FIRST, SECOND]),
            ("gone", "length:words", [FIRST, "length:words"]),
        ],
    )
    def test_what_was_asked_for_is_compared(self, first, second, found):
        assert ids(run(made.data(), first=first, second=second)) == found

    def test_one_metric_cannot_be_compared(self):
        data = made.data()
        data = replace(data, outputs=data.outputs[:1], scores=data.scores[:, :1])
        assert run(data)["reason"] == "the study has fewer than two metrics"

    def test_aspects_are_those_asked_for(self):
        rows = run(made.data(), aspects=("fluency",))["rows"]
        assert [row["aspect"] for row in rows] == ["Fluency"]


class TestDifference:
    def test_it_is_the_first_minus_the_second(self):
        row = run(made.data(prompts=12), first=SECOND, second=FIRST)["rows"][0]
        difference = row["first"]["value"] - row["second"]["value"]
        assert row["difference"]["value"] == pytest.approx(difference)
        assert row["difference"]["low"] <= difference <= row["difference"]["high"]

    def test_both_are_measured_on_the_texts_that_both_scored(self):
        data = made.data()
        scores = data.scores.copy()
        scores[:4, 0] = scores[4:6, 1] = np.nan
        row = run(replace(data, scores=scores), first=FIRST, second=SECOND)["rows"][0]
        x, y = data.scores[6:], data.human_scores()[6:]
        assert row["first"]["n"] == row["second"]["n"] == len(x)
        expected = scipy.stats.pearsonr(x[:, 1], y[:, 0]).statistic
        assert row["second"]["value"] == pytest.approx(expected, abs=1e-12)

    def test_by_item_the_same_groups_are_averaged(self):
        data = made.data(systems=4, discarded=0)
        at, y = data.texts.prompt, data.human_scores()[:, 0]
        kept = [p for p in np.unique(at) if np.ptp(y[at == p]) > 0]
        of_prompts = [
            scipy.stats.kendalltau(data.scores[at == p, 0], y[at == p]).statistic
            for p in kept
        ]
        asked = {"grouping": "item", "coefficient": "kendall", "first": FIRST}
        row = run(data, **asked)["rows"][0]
        assert row["first"]["value"] == pytest.approx(np.mean(of_prompts), abs=1e-12)


class TestTests:
    def test_a_metric_and_its_copy_do_not_differ(self):
        data = copied(made.data(prompts=12))
        row = run(data, first=FIRST, second=SECOND, grouping="none")["rows"][0]
        assert row["difference"]["value"] == pytest.approx(0, abs=1e-12)
        assert (row["p"]["value"], row["permutation"]["value"]) == (None, 1)
        assert row["p"]["reason"] == jackknife.ALIKE
        assert "same up to their scale" in row["williams"]["reason"]
        assert row["needed"]["value"] is None

    def test_a_good_and_a_senseless_metric_differ_by_every_test(self):
        data = made.data(prompts=60, noise=(0.1, 40.0), aspects=("coherence",))
        row = run(data, first=FIRST, second=SECOND, grouping="none")["rows"][0]
        for test in ("p", "adjusted", "permutation", "williams"):
            assert row[test]["value"] < 0.01, test
        assert row["needed"]["value"] < 60

    def test_holm_counts_the_aspects(self):
        multitest = pytest.importorskip("statsmodels.stats.multitest")
        data = made.data(prompts=12, aspects=("a", "b", "c"))
        rows = run(data)["rows"]
        expected = multitest.multipletests(
            [r["p"]["value"] for r in rows], method="holm"
        )
        np.testing.assert_allclose([r["adjusted"]["value"] for r in rows], expected[1])
        parts = signature.parse(rows[0]["adjusted"]["signature"])
        assert (parts["correction"], parts["family"]) == ("holm", "3")

    def test_few_prompts_are_no_evidence(self):
        row = run(made.data(prompts=5))["rows"][0]
        assert row["p"]["reason"] == row["adjusted"]["reason"]
        assert row["p"]["reason"] == jackknife.FEW_TO_TEST

    @pytest.mark.parametrize(
        "options", [{"coefficient": "kendall"}, {"grouping": "item"}]
    )
    def test_williams_is_for_pearson_of_all_texts_only(self, options):
        assert "only" in run(made.data(), **options)["rows"][0]["williams"]["reason"]

    def test_it_says_for_whom_the_permutation_test_speaks(self):
        result = run(made.data(), design="systems")
        assert result["population"] == "new systems"
        signed = result["rows"][0]["permutation"]["signature"]
        assert signature.parse(signed)["test"] == "perm-systems"

    def test_the_texts_needed_are_those_of_the_power_of_williams_design(self):
        data = made.data(prompts=20, discarded=0)
        x, y = data.scores, data.human_scores()[:, 0]
        r = np.corrcoef([y, x[:, 0], x[:, 1]])
        expected = power.difference_sample_size(r[0, 1], r[0, 2], r[1, 2])
        row = run(data, first=FIRST, second=SECOND)["rows"][0]
        assert row["needed"]["value"] == expected.n


class TestDisagreement:
    def test_the_text_ranked_most_differently_is_first(self):
        data = made.data(discarded=0)
        scores = data.scores.copy()
        scores[7, :2] = 99, -99
        result = run(replace(data, scores=scores), first=FIRST, second=SECOND)
        row = result["texts"]["rows"][0]
        assert row["key"] == data.texts.key[7]
        assert (row["system"], row["prompt"]) == ("s1", 3)
        assert (row["first"], row["second"]) == (
            pytest.approx(100 * 17.5 / 18),
            pytest.approx(100 * 0.5 / 18),
        )
        mean = data.human_scores()[7, 0]
        assert row["people"][0]["mean"] == pytest.approx(mean)

    def test_pairs_are_of_one_prompt_and_people_order_them(self):
        data = made.data()
        rows = run(data)["pairs"]["rows"]
        assert rows
        for row in rows:
            assert row["better"]["prompt"] == row["worse"]["prompt"]
            assert row["better"]["mean"] > row["worse"]["mean"]

    def test_metrics_that_agree_disagree_nowhere(self):
        result = run(copied(made.data()), first=FIRST, second=SECOND)
        assert result["texts"]["rows"] == result["pairs"]["rows"] == []


options = st.fixed_dictionaries(
    {
        **CORRELATING,
        "coefficient": st.sampled_from(["pearson", "spearman", "kendall"]),
        "design": st.sampled_from(["both", "inputs", "systems"]),
        "first": st.sampled_from(["", "length:words"]),
    }
)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(chosen=options, data=small)
def test_whatever_is_asked_has_a_number_or_a_reason(chosen, data):
    check_cells(run(data, **chosen))
