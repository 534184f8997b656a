"""The Correlations page's numbers, against scipy and by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import analyses
from scoring.analyses.correlations.numbers import Options
from scoring.stats import by_prompt, jackknife, signature
from scoring.stats.data import Data, Means
from tests.scoring import made
from tests.scoring.shapes import CORRELATING, check_cells, small

SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


def run(data: Data, **options: Any) -> dict[str, Any]:
    return analyses.run("correlations", data, Options(**options))


def column(result: dict, coefficient: str = "pearson", aspect: int = 0) -> dict:
    place = result["coefficients"].index(coefficient)
    return result["columns"][place]["aspects"][aspect]


def values(cells: list[dict]) -> list:
    return [one["value"] for one in cells]


def with_scores(data: Data, *columns: np.ndarray) -> Data:
    """The same study, scored by these metrics only."""
    outputs = [made.output(f"m{k}") for k in range(len(columns))]
    scores = np.stack(columns, axis=1).astype(float)
    return replace(data, outputs=outputs, scores=scores)


def valid(data: Data) -> tuple[np.ndarray, np.ndarray]:
    return data.metric_scores(), data.human_scores()


class TestValues:
    @pytest.mark.parametrize("coefficient", SCIPY)
    def test_they_are_scipys(self, coefficient):
        data = made.data()
        x, y = valid(data)
        found = column(run(data), coefficient, 1)["cells"]
        expected = [SCIPY[coefficient](m, y[:, 1]).statistic for m in x.T]
        np.testing.assert_allclose(values(found), expected, atol=1e-12)
        assert found[0]["n"] == 18

    def test_by_item_it_is_the_mean_over_prompts_with_all_their_samples(self):
        data = made.data(systems=4, samples=2)
        (x, y), prompt = valid(data), data.texts.prompt
        of_prompts = [
            scipy.stats.pearsonr(x[prompt == p, 0], y[prompt == p, 0]).statistic
            for p in np.unique(prompt)
        ]
        found = column(run(data, grouping="item"))["cells"][0]
        assert found["value"] == pytest.approx(np.mean(of_prompts), abs=1e-12)
        assert found["groups"]["n_groups"] == len(of_prompts) == 6

    def test_of_systems_it_is_the_correlation_of_their_means(self):
        data = made.data(systems=5)
        (x, y), system = valid(data), data.texts.system
        means = [[side[system == s, 0].mean() for s in range(5)] for side in (x, y)]
        found = column(run(data, level="systems"))["cells"][0]
        assert found["value"] == pytest.approx(scipy.stats.pearsonr(*means).statistic)
        ends = scipy.stats.pearsonr(*means).confidence_interval()
        assert (found["low"], found["high"]) == pytest.approx((ends.low, ends.high))
        assert "interval:fisher" in found["signature"]

    def test_a_metric_that_is_better_when_low_is_turned(self):
        data = made.data()
        loss = replace(data.outputs[0], higher_is_better=False)
        turned = replace(data, outputs=[loss, *data.outputs[1:]])
        first, second = (column(run(d))["cells"][0] for d in (data, turned))
        assert first["value"] == -second["value"]

    def test_texts_need_the_ratings_that_were_asked_for(self):
        data = made.data(raters=3)
        _, n = data.human_means()
        found = column(run(data, min_ratings=3))["cells"][0]
        assert found["n"] == (n[:, 0] >= 3).sum() < len(data.texts)

    def test_a_mean_of_unknown_ratings_counts_as_one_rating(self):
        data = made.data(raters=0)
        rows = np.arange(len(data.texts))
        zero = np.zeros_like(rows)
        data = replace(data, means=Means(rows, zero, rows % 4 + 1.0, zero))
        assert column(run(data))["cells"][0]["n"] == len(rows)
        assert column(run(data, min_ratings=2))["cells"][0]["n"] == 0


class TestIntervals:
    @pytest.mark.parametrize("coefficient", SCIPY)
    def test_of_all_texts_they_are_the_jackknifes_over_prompts(self, coefficient):
        data = made.data(prompts=12, discarded=0)
        (x, y), prompts = valid(data), data.texts.prompt
        r = SCIPY[coefficient]
        without = [
            r(x[prompts != u, 0], y[prompts != u, 0]).statistic for u in range(12)
        ]
        z = np.arctanh(r(x[:, 0], y[:, 0]).statistic)
        se = np.sqrt(11 / 12 * ((z - np.arctanh(without)) ** 2).sum())
        half = scipy.stats.t.isf(0.025, 11) * se
        found = column(
            run(data, coefficients=(coefficient,), grouping="none"), coefficient
        )["cells"][0]
        ends = [found["low"], found["high"]]
        np.testing.assert_allclose(ends, np.tanh([z - half, z + half]), atol=1e-9)
        assert signature.parse(found["signature"])["interval"] == "jackknife-t"

    def test_by_prompt_they_are_those_of_the_mean_of_prompts(self):
        data = made.data(prompts=15, systems=5, discarded=0)
        (x, y), prompts = valid(data), data.texts.prompt
        known = jackknife.tested(
            by_prompt.mean_of_groups(x, y, prompts, coefficient="spearman")
        )
        found = column(run(data, grouping="item"), "spearman")["cells"][0]
        assert found["low"] == pytest.approx(known.low[0, 0])
        assert found["high"] == pytest.approx(known.high[0, 0])
        assert signature.parse(found["signature"])["interval"] == "skewed-t"

    @pytest.mark.parametrize(
        ("resample", "n_units"),
        [("prompts", 6), ("prefixes", 3), ("systems", 4), ("samples", 24), ("both", 4)],
    )
    def test_the_unit_is_what_was_asked_for(self, resample, n_units):
        result = run(made.data(systems=4), resample=resample)
        assert result["n_units"] == n_units
        signed = column(result)["cells"][0]["signature"]
        assert signature.parse(signed)["unit"] == resample

    def test_one_prompt_gives_a_number_and_no_interval(self):
        cell = column(run(made.data(prompts=1, systems=6)))["cells"][0]
        assert cell["value"] is not None
        assert (cell["low"], cell["reason"]) == (None, jackknife.FEW_UNITS)


class TestRanks:
    @staticmethod
    def good_and_bad(prompts: int = 40) -> tuple[Data, np.ndarray, np.ndarray]:
        data = made.data(prompts=prompts, aspects=("coherence",))
        y = np.nan_to_num(data.human_scores()[:, 0], nan=3)
        return data, y, np.random.default_rng(5).normal(size=len(y))

    def test_what_beats_all_others_is_bold(self):
        data, y, noise = self.good_and_bad()
        found = column(run(with_scores(data, noise, y + 0.1 * noise)))
        assert [cell["best"] for cell in found["cells"]] == [False, True]
        assert values(found["ranks"]) == [2, 1]
        assert found["family"] == 1

    def test_nothing_is_bold_where_two_share_the_lead(self):
        data, y, noise = self.good_and_bad()
        other = np.roll(noise, 1)
        found = column(run(with_scores(data, y + noise, y + other, noise)))
        assert not any(cell["best"] for cell in found["cells"])
        assert values(found["ranks"]) == [1, 1, 2]

    def test_few_prompts_are_no_evidence(self):
        data, y, noise = self.good_and_bad(prompts=5)
        found = column(run(with_scores(data, noise, y)))
        assert values(found["ranks"]) == [None, None]
        assert found["ranks"][0]["reason"] == jackknife.FEW_TO_TEST
        assert not any(cell["best"] for cell in found["cells"])

    def test_holm_counts_all_pairs_of_metrics(self):
        data, y, noise = self.good_and_bad(prompts=12)
        metrics = [np.roll(noise, k) + y for k in range(12)]
        result = run(with_scores(data, *metrics), coefficients=("pearson",))
        parts = signature.parse(column(result)["ranks"][0]["signature"])
        assert (parts["family"], parts["correction"]) == ("66", "holm")
        assert parts["test"] == "t"


class TestBehind:
    def test_within_systems_is_the_mean_over_systems(self):
        data = made.data(prompts=9)
        (x, y), system = valid(data), data.texts.system
        of_each = [
            scipy.stats.spearmanr(x[system == s, 1], y[system == s, 0]).statistic
            for s in range(3)
        ]
        found = run(data, primary="spearman")["behind"][1][0]
        assert found["within"]["value"] == pytest.approx(np.mean(of_each), abs=1e-12)

    def test_given_length_is_what_a_regression_on_words_leaves(self):
        data = made.data(prompts=12)
        (x, y), words = valid(data), data.scores[:, -1]
        left = [
            side - np.polyval(np.polyfit(words, side, 1), words)
            for side in (x[:, 0], y[:, 0])
        ]
        found = run(data)["behind"][0][0]["partial"]
        assert found["value"] == pytest.approx(np.corrcoef(*left)[0, 1], abs=1e-12)
        assert found["low"] < found["value"] < found["high"]

    def test_it_is_of_single_texts_whatever_was_asked_for(self):
        data = made.data(systems=4)
        plain, asked = run(data), run(data, grouping="item", resample="prompts")
        assert plain["behind"] == asked["behind"]

    def test_words_given_words_say_why_not(self):
        found = run(made.data())["behind"][-1][0]["partial"]
        assert (found["value"], found["reason"]) == (
            None,
            "metric scores: fixed by number of words",
        )


class TestBeside:
    def test_people_are_there_where_all_texts_are_compared(self):
        flat, grouped = run(made.data()), run(made.data(), grouping="system")
        assert 0 < flat["ceiling"]["one"][0][0]["value"] < 1
        one, most = (flat["ceiling"][key][0][0] for key in ("one", "attainable"))
        assert most["value"] > one["value"]
        assert 0 < grouped["ceiling"]["one"][0][0]["value"] < 1
        assert grouped["ceiling"]["raters"] is None
        reason = grouped["ceiling"]["attainable"][0][0]["reason"]
        assert "only available for all texts together" in reason

    @pytest.mark.parametrize("grouping", ["item", "system"])
    def test_within_groups_one_person_is_as_in_the_answer(self, grouping):
        data = made.data(prompts=12, systems=4, seed=2)
        chosen = analyses.options("answer", {"grouping": grouping})
        answer = analyses.run("answer", data, chosen)
        one = run(data, grouping=grouping)["ceiling"]["one"][0][0]
        wanted = answer["aspects"][0]["ceiling"]["one"]
        assert one["value"] == pytest.approx(wanted["value"], abs=1e-12)

    @pytest.mark.parametrize(("systems", "found"), [(4, "item"), (2, "system")])
    def test_without_a_choice_the_rule_chooses(self, systems, found):
        data = made.data(prompts=30, systems=systems)
        chosen, given = run(data), run(data, grouping=found)
        assert chosen["grouping"] == found
        assert (
            f"Texts of one {'prompt' if found == 'item' else found}"
            in (chosen["grouping_why"])
        )
        assert column(chosen)["cells"] == column(given)["cells"]

    def test_means_of_systems_have_no_grouping(self):
        found = run(made.data(prompts=30, systems=4), level="systems")
        assert (found["grouping"], found["grouping_why"]) == ("none", "")

    def test_raters_without_names_count_as_one_each(self):
        data = made.data()
        nobody = np.full(len(data.ratings), "", np.str_)
        data = replace(data, ratings=replace(data.ratings, rater=nobody))
        assert "drawn at random" in run(data)["ceiling"]["method"]

    def test_a_metric_correlates_fully_with_itself(self):
        found = run(made.data())["matrix"]
        assert [found[k][k]["value"] for k in range(3)] == pytest.approx([1, 1, 1])
        assert found[0][1] == found[1][0]

    def test_people_as_a_metric_order_all_pairs_right(self):
        data = made.data(prompts=10, aspects=("coherence",))
        data = with_scores(data, data.human_scores()[:, 0])
        found = run(data)["accuracy"]["rows"][0][0]
        assert found["accuracy"]["value"] == pytest.approx(1)
        assert found["soft"]["value"] == pytest.approx(1)

    def test_a_group_has_a_coefficient_or_a_reason(self):
        data = made.data(systems=4)
        scores = data.scores.copy()
        scores[data.texts.prompt == 0, 0] = 1.0
        result = run(replace(data, scores=scores), grouping="item")
        accounts = column(result)["cells"][0]["groups"]
        assert accounts["n_groups"] + accounts["n_undefined_human"] == 6
        assert accounts["n_undefined_metric"] == 1

    def test_a_constant_group_counts_as_0_if_wanted(self):
        data = made.data(systems=4, discarded=0)
        scores = data.scores.copy()
        scores[data.texts.prompt == 0, 0] = 1.0
        data = replace(data, scores=scores)
        dropped, zero = (
            column(run(data, grouping="item", undefined=rule))["cells"][0]
            for rule in ("drop", "zero")
        )
        assert zero["value"] == pytest.approx(dropped["value"] * 5 / 6)


def test_outputs_meant_for_an_aspect_come_first_and_lengths_last():
    data = made.data(noise=(1, 1, 1))
    third = replace(data.outputs[2], measures="fluency")
    data = replace(data, outputs=[*data.outputs[:2], third, data.outputs[3]])
    found = run(data)["outputs"]
    assert [one["key"] for one in found] == ["q2", "q0", "q1", "words"]
    assert (found[0]["aspect"], found[0]["meant_for"]) == ("fluency", "Fluency")


def test_filters_are_in_the_signature():
    chosen = {"systems": ("s0", "s1"), "prompts": "1-4", "with_discarded": True}
    result = run(made.data(), **chosen)
    parts = signature.parse(column(result)["cells"][0]["signature"])
    assert [parts[k] for k in ("systems", "prompts", "qc")] == ["s0,s1", "1-4", "none"]
    assert column(result)["cells"][0]["n"] == 8


options = st.fixed_dictionaries(
    {
        **CORRELATING,
        "primary": st.sampled_from(["spearman", "kendall"]),
        "coefficients": st.sampled_from([("pearson",), ("kendall",)]),
    }
)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(chosen=options, data=small)
def test_whatever_is_asked_has_a_number_or_a_reason(chosen, data):
    check_cells(run(data, **chosen))


def test_metrics_that_were_chosen_are_alone_in_the_tables_and_tests():
    data = made.data(prompts=12, noise=(1, 1, 1))
    result = run(data, outputs=("judge:q2", "judge:q0"))
    assert [one["id"] for one in result["outputs"]] == ["judge:q0", "judge:q2"]
    assert column(result)["family"] == 1
    assert result["behind"][0][0]["partial"]["value"] is not None
