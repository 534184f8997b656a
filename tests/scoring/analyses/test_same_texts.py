"""One metric has one number on every page, over the texts that each page names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.shared.grouping import Grouped
from scoring.stats import signature
from scoring.stats.data import BY_REFERENCE, Data, Evaluators
from scoring.stats.subsets import curve
from tests.scoring import made

pytestmark = pytest.mark.usefixtures("few_draws")

SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
CORRELATING = [
    name for name in analyses.names() if issubclass(analyses.get(name).Options, Grouped)
]


def study() -> Data:
    """Twelve texts of each prompt; one metric, which is the mean of its evaluators.

    Evaluators and the only reference of a text give the very scores.
    """
    data = made.data(prompts=14, systems=4, samples=3, noise=(1.0, 2.0))
    scores = data.scores.copy()
    scores[data.texts.prompt == 0, 0] = 2.0  # a prompt that only the metric ties
    parts = np.stack([scores[:, 0] - 1, scores[:, 0] + 1], axis=1)
    own = Evaluators("judge:q0", parts, np.ones_like(parts))
    again = Evaluators("judge:q0" + BY_REFERENCE, parts, np.ones_like(parts))
    return replace(data, scores=scores, evaluators=[own, again])


DATA = study()


def expected(coefficient: str, groups: np.ndarray | None) -> float:
    """By scipy, group by group; 0 where only the metric is constant."""
    x, y = DATA.scores[:, 0], DATA.human_scores()[:, 0]
    has = np.isfinite(y)
    x, y = x[has], y[has]
    at = np.zeros(len(x)) if groups is None else groups[has]
    found = [
        getattr(stats, SCIPY[coefficient])(x[at == g], y[at == g])[0]
        if np.ptp(x[at == g]) > 0
        else 0.0
        for g in np.unique(at)
        if np.ptp(y[at == g]) > 0
    ]
    return float(np.mean(found))


def shown(coefficient: str, grouping: str) -> dict[str, float]:
    """What each page has of the first metric and aspect."""
    one = {"grouping": grouping, "coefficient": coefficient}

    def run(name: str, **chosen: Any) -> dict[str, Any]:
        return analyses.run(name, DATA, analyses.options(name, chosen))

    (at_a_glance, *_) = run("overview", grouping=grouping)["correlations"]
    column = run("correlations", grouping=grouping, primary=coefficient)["main"]
    answer = run("answer", **one)["aspects"][0]["rows"]
    drift = run("drift", **one, repeats=2)["model"]["rows"]
    evaluators = run("evaluators", **one)
    ways = run("variants", **one)["weights"][0]["columns"][0]["values"]
    pair = {"first": "judge:q0", "second": "judge:q1"}
    return {
        "overview": at_a_glance[coefficient],
        "correlations": column[0][0]["value"],
        "comparison": run("comparison", **one, **pair)["rows"][0]["first"]["value"],
        "answer": next(r for r in answer if r["output"]["key"] == "q0")["r"]["value"],
        "drift": drift[0]["pooled"]["value"],
        "evaluators": evaluators["rows"][0]["curve"][-1]["mean"]["value"],
        "by reference": evaluators["references"][0]["mean"][-1]["mean"]["value"],
        "variants": ways[1][coefficient]["value"],  # the mean without weights
    }


@pytest.mark.parametrize("coefficient", SCIPY)
@pytest.mark.parametrize("grouping", ["auto", "none", "system"])
def test_each_page_has_the_number_that_scipy_gives_within_these_texts(
    coefficient, grouping
):
    texts = DATA.texts
    groups = {"auto": texts.prompt, "system": texts.system}.get(grouping)
    found = shown(coefficient, grouping)
    wanted = dict.fromkeys(found, pytest.approx(expected(coefficient, groups)))
    assert found == wanted


def test_references_take_the_same_texts():
    data = made.by_reference_kind(made.data(prompts=14, systems=4, samples=3))
    found = analyses.run("references", data, analyses.options("references", {}))
    of_kind = analyses.run("overview", data, analyses.options("overview", {}))
    values = [one["value"] for one in found["rows"][0]["values"]]
    assert values == pytest.approx(
        [row["pearson"] for row in of_kind["correlations"][::2]]
    )


@pytest.mark.parametrize("name", CORRELATING)
class TestWords:
    def result(self, name: str, **chosen: Any) -> dict[str, Any]:
        data = DATA
        if name == "references":
            data = made.by_reference_kind(DATA)
        return analyses.run(name, data, analyses.options(name, chosen))

    def tables(self, name: str, **chosen: Any) -> list:
        return list(pages.tables(name, self.result(name, **chosen)).values())

    def test_the_page_and_a_caption_name_the_texts_and_how_many(self, name):
        tables = self.tables(name)
        assert any("12 texts of a prompt" in note for t in tables for note in t.notes)
        assert any("(12 texts of a prompt)" in table.caption for table in tables)

    def test_all_texts_are_named_as_well(self, name):
        tables = self.tables(name, grouping="none")
        assert any("168 rated texts" in table.caption for table in tables)

    def test_what_comparing_within_prompts_leaves_out_is_said(self, name):
        said = "same label, so comparing within prompts leaves out"
        assert said in self.result(name)["grouping_why"]
        assert said not in self.result(name, grouping="none")["grouping_why"]
        one = self.result(name, labels=("positive",), grouping="item")
        assert said not in one["grouping_why"]  # there is no other to tell it from


def test_the_signature_says_within_what_and_how_ties_count():
    found = analyses.run("variants", DATA, analyses.options("variants", {}))
    cell = found["weights"][0]["columns"][0]["values"][0]["pearson"]
    parts = signature.parse(cell["signature"])
    assert (parts["group"], parts["undefined"]) == ("prompt", "zero")


def test_a_curve_within_groups_leaves_out_groups_whose_target_is_constant():
    scores = np.array([[1.0, 2, 4, 1, 2, 3]]).T
    target = np.array([1.0, 2, 3, 5, 5, 5])
    groups = np.array([0, 0, 0, 1, 1, 1])
    rng = np.random.default_rng(0)
    (point,) = curve(scores, target, rng=rng, groups=groups)
    # Of 1, 2, 4 and 1, 2, 3: r = 3 / sqrt(14/3 * 2).
    assert point.mean == pytest.approx(3 / np.sqrt(14 / 3 * 2))
    assert point.n == 3
