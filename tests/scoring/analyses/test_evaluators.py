from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.evaluators.numbers import Options, sizes, standardised, why_not
from scoring.stats.data import BY_REFERENCE, Data, Evaluators
from tests.scoring import made
from tests.scoring.analyses.shown import everything

DATA = made.data(prompts=20, seed=3)
NAN = np.nan


def run(data: Data, **chosen) -> dict:
    """All texts together, as figure 4 of the paper has them."""
    return analyses.run("evaluators", data, Options(**{"grouping": "none", **chosen}))


def with_parts(s: np.ndarray, w: np.ndarray | None = None, data: Data = DATA) -> Data:
    s = np.asarray(s, float)
    found = Evaluators("judge:q0", s, np.ones_like(s) if w is None else w)
    return replace(data, evaluators=[found])


def test_all_evaluators_give_the_weighted_mean_of_equation_16():
    (row,) = run(DATA)["rows"]
    (parts,) = DATA.evaluators
    human = DATA.human_scores()[:, 0]
    rated = np.isfinite(human)
    mean = (parts.w * parts.s).sum(axis=1) / parts.w.sum(axis=1)
    last = row["curve"][-1]
    expected = stats.pearsonr(mean[rated], human[rated])[0]
    assert last["mean"]["value"] == pytest.approx(expected)
    assert (last["k"], last["std"], last["n_subsets"]) == (4, 0.0, 1)
    plain = run(DATA, weights="none")["rows"][0]["curve"][-1]["mean"]["value"]
    expected = stats.pearsonr(parts.s.mean(axis=1)[rated], human[rated])[0]
    assert plain == pytest.approx(expected)


def test_one_evaluator_at_a_time_is_each_alone():
    (row,) = run(DATA)["rows"]
    singles = [one["r"]["value"] for one in row["single"]]
    human = DATA.human_scores()[:, 0]
    rated = np.isfinite(human)
    for j, value in enumerate(singles):
        expected = stats.pearsonr(DATA.evaluators[0].s[rated, j], human[rated])[0]
        assert value == pytest.approx(expected)
    first = row["curve"][0]
    assert first["n_subsets"] == 4  # all there are
    assert first["mean"]["value"] == pytest.approx(np.mean(singles))
    assert first["std"] == pytest.approx(np.std(singles, ddof=1))
    assert sum(one["share"] for one in row["single"]) == pytest.approx(1)


def test_where_lower_is_better_evaluators_are_turned():
    turned = [replace(DATA.outputs[0], higher_is_better=False), *DATA.outputs[1:]]
    usual, found = run(DATA), run(replace(DATA, outputs=turned))
    for one, other in zip(usual["rows"], found["rows"], strict=True):
        assert one["single"][0]["r"]["value"] == -other["single"][0]["r"]["value"]


def test_each_metric_is_set_against_what_it_is_meant_for():
    meant = [replace(DATA.outputs[0], measures="fluency"), *DATA.outputs[1:]]
    data = replace(DATA, outputs=meant)
    assert run(data)["rows"][0]["aspect"] == "Fluency"
    assert run(data, aspect="coherence")["rows"][0]["aspect"] == "Coherence"


GAPS = np.ones((60, 3))
GAPS[::2, 2] = NAN
ONE_KIND = np.ones((60, 3))
ONE_KIND[:, 1] = NAN
HALF_SCORED = np.ones((60, 3))
HALF_SCORED[:30] = NAN
REASONS = {
    "others from text to text": (GAPS, "differ from text to text (2 to 3 of them), so"),
    "none": (np.full((60, 3), NAN), "no text has its evaluators"),
    "one": (np.ones((60, 1)), "it has only one evaluator"),
    "a column that nobody uses": (ONE_KIND, ""),
    "texts without any": (HALF_SCORED, ""),
}


@pytest.mark.parametrize("case", REASONS)
def test_only_evaluators_that_are_the_same_for_all_texts_are_drawn(case):
    s, reason = REASONS[case]
    why = why_not(Evaluators("judge:q0", s, s))
    assert reason in why and bool(reason) == bool(why)
    found = run(with_parts(s))
    assert len(found["rows"]) == (0 if reason else 1)
    assert [reason in one["reason"] for one in found["left_out"]] == (
        [True] if reason else []
    )


def test_a_run_with_the_same_evaluators_is_drawn_once():
    other = replace(DATA.evaluators[0], output="judge:q1")
    found = run(replace(DATA, evaluators=[*DATA.evaluators, other]))
    assert len(found["rows"]) == 1
    assert found["left_out"][0]["reason"] == "the same as judge: q0"
    alone = run(
        replace(DATA, evaluators=[*DATA.evaluators, other]), outputs=(other.output,)
    )
    assert alone["rows"][0]["output"]["id"] == "judge:q1"


@pytest.mark.parametrize(
    ("n", "expected"),
    [(1, (1,)), (2, (1, 2)), (5, (1, 2, 3, 4, 5)), (7, (1, 2, 3, 4, 6, 7))],
)
def test_sizes_begin_one_by_one_and_end_with_all(n, expected):
    assert sizes(n) == expected


def test_sizes_of_the_paper_s_evaluators():
    assert sizes(32) == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
    assert sizes(72)[-3:] == (48, 64, 72)


def test_an_ensemble_is_the_mean_of_standardised_metrics_without_lengths():
    found = run(DATA)["ensemble"]
    assert found["metrics"] == ["judge: q0", "judge: q1"]
    human = DATA.human_scores()[:, 0]
    rated = np.isfinite(human)
    mean = stats.zscore(DATA.scores[:, :2]).mean(axis=1)
    expected = stats.pearsonr(mean[rated], human[rated])[0]
    assert found["curve"][-1]["mean"]["value"] == pytest.approx(expected)


def test_metrics_that_do_not_vary_are_left_out_of_an_ensemble():
    scores = np.array([[1, 5, NAN, 2], [2, 5, NAN, np.inf], [4, 5, 3, 3.0]])
    found, kept = standardised(scores)
    assert kept.tolist() == [0, 3]
    np.testing.assert_allclose(found[:, 0], stats.zscore([1, 2, 4]))
    np.testing.assert_allclose(found[:, 1], [-1, NAN, 1])


def test_a_metric_s_curve_does_not_depend_on_which_others_are_shown():
    s = np.random.default_rng(2).normal(size=(60, 8))
    other = Evaluators("judge:q1", s, np.abs(s))
    both = replace(DATA, evaluators=[*DATA.evaluators, other])
    alone = run(both, outputs=("judge:q1",))["rows"]
    assert alone == [row for row in run(both)["rows"] if row in alone]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    prompts=st.sampled_from([1, 2, 4]),
    raters=st.sampled_from([0, 1, 2]),
    fill=st.sampled_from([None, 0.0, 1.0, NAN, -np.inf]),
    weights=st.sampled_from([None, 0.0, NAN]),
    outputs=st.sampled_from([(), ("judge:q1",), ("length:words",)]),
)
def test_any_study_has_numbers_or_reasons(prompts, raters, fill, weights, outputs):
    data = made.data(prompts=prompts, raters=raters)
    (parts,) = data.evaluators
    s, w = parts.s.copy(), parts.w.copy()
    if fill is not None:
        s[: len(s) // 2 + 1] = fill
    if weights is not None:
        w[::2] = weights
    everything("evaluators", run(with_parts(s, w, data), outputs=outputs))


@pytest.mark.parametrize("aspects", [[], DATA.aspects])
def test_nothing_at_all_is_no_error(aspects):
    none = DATA.only(np.zeros(60, bool))
    everything("evaluators", run(replace(none, aspects=aspects)))
    everything("evaluators", run(replace(none, outputs=[], scores=np.empty((0, 0)))))


class TestReferences:
    S = np.random.default_rng(4).normal(size=(60, 3))

    def rows(self, s=S, described=None, **chosen):
        kept = [Evaluators("judge:q0" + BY_REFERENCE, np.asarray(s, float), s)]
        data = replace(DATA, evaluators=kept, outputs=described or DATA.outputs)
        return run(data, **chosen)

    def test_all_references_give_their_best_and_their_mean(self):
        (row,) = self.rows()["references"]
        human = DATA.human_scores()[:, 0]
        rated = np.isfinite(human)
        for name, found in (
            ("best", self.S.max(axis=1)),
            ("mean", self.S.mean(axis=1)),
        ):
            expected = stats.pearsonr(found[rated], human[rated])[0]
            assert [point["k"] for point in row[name]] == [1, 2, 3]
            assert row[name][2]["mean"]["value"] == pytest.approx(expected)

    def test_where_lower_is_better_the_best_is_the_lowest(self):
        turned = [replace(DATA.outputs[0], higher_is_better=False), *DATA.outputs[1:]]
        (row,) = self.rows(described=turned)["references"]
        (usual,) = self.rows(-self.S)["references"]
        value = usual["best"][2]["mean"]["value"]
        assert row["best"][2]["mean"]["value"] == pytest.approx(value)

    def test_texts_with_fewer_references_are_left_out(self):
        s = self.S.copy()
        s[10:, 2] = NAN
        (row,) = self.rows(s)["references"]
        assert row["best"][2]["mean"]["n"] <= 10 < row["best"][1]["mean"]["n"]

    def test_one_reference_makes_no_curve(self):
        assert self.rows(self.S[:, :1])["references"] == []

    def test_they_are_no_evaluators(self):
        found = self.rows()
        assert found["rows"] == found["left_out"] == []
        assert self.rows(outputs=("length:words",))["references"] == []

    def test_both_are_in_the_table_under_the_chart(self):
        shown = {one.key: one for one in pages.get("evaluators").sections(self.rows())}
        (line,) = shown["references"].chart.data
        rows = shown["references"].tables["references"].rows
        assert list(line.y) == [row[3].value for row in rows]
        assert [row[1] for row in rows] == [1, 2, 3]
        everything("evaluators", self.rows())
