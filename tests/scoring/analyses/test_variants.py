from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring import analyses
from scoring.analyses.variants.numbers import Options
from scoring.stats import jackknife
from scoring.stats.compare import holm
from scoring.stats.data import Data, Evaluators, Output
from scoring.stats.learned_weights import cross_fitted
from scoring.stats.signature import parse
from scoring.stats.weighting import WAYS, combined
from tests.scoring import made
from tests.scoring.analyses.shown import everything

BASE = made.data(prompts=20, seed=3)
NAN = np.nan


def run(data: Data, **chosen) -> dict:
    """All texts together, as tables 5 to 7 of the paper have them."""
    return analyses.run("variants", data, Options(**{"grouping": "none", **chosen}))


def variant(run: str, key: str, **options) -> Output:
    """One output of one run of a metric."""
    plain = made.output(key, metric="fill", options=json.dumps(options))
    return replace(plain, id=f"{run}:{key}", signature=f"fill|run:{run}", variant=run)


def noisy(*spreads: float, base: Data = BASE) -> np.ndarray:
    """Scores that follow the first metric less and less, (n, spreads)."""
    noise = np.random.default_rng(4).normal(size=(len(base.texts), len(spreads)))
    return base.scores[:, :1] + noise * spreads


RUNS = [
    variant("a1", "own", model="large", weighting="nisf"),
    variant("b2", "own", model="small", weighting="nisf"),
    variant("c3", "own", model="large", weighting="mean"),
]
DATA = replace(BASE, outputs=RUNS, scores=noisy(0.1, 3.0, 0.2), evaluators=[])


def test_rows_say_what_differs_and_nothing_else():
    (found,) = run(DATA)["runs"]
    assert found["metric"] == "fill" and found["reference"] == 0
    assert [row["options"] for row in found["rows"]] == [
        {"model": "large", "weighting": "nisf"},
        {"model": "small", "weighting": "nisf"},
        {"model": "large", "weighting": "mean"},
    ]
    (found,) = run(replace(DATA, outputs=RUNS[:2], scores=DATA.scores[:, :2]))["runs"]
    assert [row["options"] for row in found["rows"]] == [
        {"model": "large"},
        {"model": "small"},
    ]


class TestChoiceOfRuns:
    def test_a_table_has_only_those_that_were_chosen(self):
        (found,) = run(DATA, outputs=("a1:own", "c3:own"))["runs"]
        assert [row["options"] for row in found["rows"]] == [
            {"weighting": "nisf"},
            {"weighting": "mean"},
        ]
        assert found["family"] == 1
        (every,) = run(DATA)["runs"]
        values = [found["columns"][0]["values"][k]["pearson"]["value"] for k in (0, 1)]
        whole = every["columns"][0]["values"]
        assert values == [whole[k]["pearson"]["value"] for k in (0, 2)]

    def test_a_reference_that_was_not_chosen_is_not_compared_with(self):
        (found,) = run(DATA, outputs=("a1:own", "c3:own"), reference="b2:own")["runs"]
        assert found["reference"] == 0

    def test_one_run_is_no_comparison(self):
        assert run(DATA, outputs=("a1:own",))["runs"] == []


def test_values_are_scipy_s():
    (found,) = run(DATA)["runs"]
    human = DATA.human_scores()[:, 0]
    rated = np.isfinite(human)
    for k, cells in enumerate(found["columns"][0]["values"]):
        x, y = DATA.scores[rated, k], human[rated]
        assert cells["pearson"]["value"] == pytest.approx(stats.pearsonr(x, y)[0])
        assert cells["spearman"]["value"] == pytest.approx(stats.spearmanr(x, y)[0])
        assert cells["kendall"]["value"] == pytest.approx(stats.kendalltau(x, y)[0])
        assert parse(cells["kendall"]["signature"])["output"] == DATA.outputs[k].id


def test_differences_are_to_the_first_with_their_tests():
    (found,) = run(DATA)["runs"]
    (column,) = found["columns"]
    r = [cells["pearson"]["value"] for cells in column["values"]]
    first, worse, like = column["differences"]
    assert first["p"] is None and first["reason"]
    assert worse["difference"]["value"] == pytest.approx(r[1] - r[0])
    assert worse["difference"]["high"] < 0 and worse["p"] < 0.05
    assert like["difference"]["low"] < 0 < like["difference"]["high"]
    assert found["family"] == 2
    adjusted = holm(np.array([worse["p"], like["p"]]))
    assert [worse["adjusted"], like["adjusted"]] == pytest.approx(adjusted.tolist())


def test_another_variant_may_be_the_one_to_compare_with():
    (found,) = run(DATA, reference="b2:own")["runs"]
    assert found["reference"] == 1
    better = found["columns"][0]["differences"][0]
    assert better["difference"]["low"] > 0
    assert parse(better["difference"]["signature"])["minus"] == "b2:own"


def test_differences_are_on_the_texts_that_both_have_scored():
    scores = DATA.scores.copy()
    scores[:20, 1] = NAN
    (found,) = run(replace(DATA, scores=scores))["runs"]
    human = DATA.human_scores()[:, 0]
    both = np.isfinite(human) & (np.arange(60) >= 20)
    r = [stats.pearsonr(scores[both, k], human[both])[0] for k in range(2)]
    difference = found["columns"][0]["differences"][1]["difference"]
    assert difference["value"] == pytest.approx(r[1] - r[0])
    assert difference["n"] == both.sum()


def test_where_lower_is_better_the_better_variant_still_is():
    losses = [replace(one, higher_is_better=False) for one in RUNS]
    found = run(replace(DATA, outputs=losses, scores=-DATA.scores))["runs"]
    assert found[0]["columns"] == run(DATA)["runs"][0]["columns"]


def test_only_outputs_that_two_variants_have_are_columns():
    extra = variant("a1", "extra", model="large", weighting="nisf")
    only = made.output("q", metric="lonely")
    scores = np.hstack([DATA.scores, noisy(1, 2)])
    data = replace(DATA, outputs=[*RUNS, extra, only], scores=scores)
    (found,) = run(data)["runs"]
    assert [column["label"] for column in found["columns"]] == ["fill: own"]


def test_a_variant_without_an_output_says_so():
    outputs = [*RUNS[:2], *(variant(one, "two", model=one) for one in ("a1", "c3"))]
    data = replace(DATA, outputs=outputs, scores=noisy(1, 1, 1, 1))
    (found,) = run(data)["runs"]
    own, two = found["columns"]
    assert own["values"][2]["pearson"]["reason"]
    assert two["values"][1]["pearson"]["reason"] and two["differences"][1]["reason"]
    assert two["differences"][2]["p"] is not None
    assert [row["options"] for row in found["rows"]][2] == {
        "model": "c3",
        "weighting": None,
    }


def test_few_prompts_give_a_difference_but_no_test():
    data = made.data(prompts=4)
    scores = noisy(0.1, 1, 0.2, base=data)
    (found,) = run(replace(data, outputs=RUNS, scores=scores, evaluators=[]))["runs"]
    worse = found["columns"][0]["differences"][1]
    assert worse["difference"]["value"] and worse["p"] is None
    assert worse["reason"] == jackknife.FEW_TO_TEST and found["family"] == 0


def test_evaluators_are_combined_in_other_ways():
    (found,) = run(BASE)["weights"]
    assert found["ways"] == [*WAYS, "learned"] and found["family"] == 4
    human = BASE.human_scores()[:, 0]
    rated = np.isfinite(human)
    (parts,) = BASE.evaluators
    for way, cells in zip(WAYS, found["columns"][0]["values"], strict=False):
        x = combined(parts.s, parts.w, way)[rated]
        expected = stats.pearsonr(x, human[rated])[0]
        assert cells["pearson"]["value"] == pytest.approx(expected)
        assert parse(cells["pearson"]["signature"])["weights"] == way


def test_weights_learned_from_ratings_stand_beside_them():
    (found,) = run(BASE)["weights"]
    (parts,), human = BASE.evaluators, BASE.human_scores()[:, 0]
    rng = np.random.default_rng(0)
    learned = cross_fitted(parts.s, parts.w, human, BASE.texts.prompt, rng=rng)
    rated = np.isfinite(human)
    expected = stats.pearsonr(learned.scores[rated], human[rated])[0]
    shown = found["columns"][0]["values"][-1]["pearson"]
    assert shown["value"] == pytest.approx(expected)
    assert parse(shown["signature"])["weights"] == "learned"


def test_runs_that_combine_the_same_evaluators_are_one():
    s = np.random.default_rng(1).normal(size=(60, 3))
    parts = [Evaluators(one.id, s, np.abs(s)) for one in RUNS]
    other = replace(parts[1], s=s + 1)
    found = run(replace(DATA, evaluators=[parts[0], other, parts[2]]))["weights"]
    assert [one["options"] for one in found] == [{"model": "large"}, {"model": "small"}]


def test_a_single_evaluator_has_nothing_to_combine():
    one = Evaluators("judge:q0", np.ones((60, 1)), np.ones((60, 1)))
    assert run(replace(BASE, evaluators=[one]))["weights"] == []


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    prompts=st.sampled_from([1, 2, 7]),
    systems=st.sampled_from([1, 3]),
    raters=st.sampled_from([0, 1, 2]),
    fill=st.sampled_from([None, 0.0, NAN, np.inf]),
    coefficient=st.sampled_from(["pearson", "kendall"]),
    with_parts=st.booleans(),
)
def test_any_study_has_numbers_or_reasons(
    prompts, systems, raters, fill, coefficient, with_parts
):
    data = made.data(prompts=prompts, systems=systems, raters=raters)
    scores = noisy(0.1, 1, 2, base=data)
    if fill is not None:
        scores[: len(scores) // 2 + 1, 1] = fill
    parts = [replace(data.evaluators[0], output="b2:own")] if with_parts else []
    data = replace(data, outputs=RUNS, scores=scores, evaluators=parts)
    everything("variants", run(data, coefficient=coefficient))


@pytest.mark.parametrize("aspects", [[], DATA.aspects])
def test_nothing_at_all_is_no_error(aspects):
    none = DATA.only(np.zeros(60, bool))
    everything("variants", run(replace(none, aspects=aspects)))
    everything("variants", run(replace(none, outputs=[], scores=np.empty((0, 0)))))
