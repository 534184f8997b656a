"""Correlations that others published, from their scores."""

import csv
import json

import numpy as np
import pytest

from scoring.stats import correlation
from scoring.stats.correlation import COEFFICIENTS
from scoring.stats.groups import correlate, system_level
from tests.support import shared

ASPECTS = (
    "Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity",
)  # fmt: skip


@pytest.fixture(scope="module")
def hanna():
    """Scores (prompts x systems) of 72 metrics and 6 aspects, without the human."""
    with (shared.path("data/hanna") / "hanna_metric_scores.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["Model"] != "Human"]
    return {
        name: np.array([json.loads(row[name]) for row in rows], float).T.ravel()
        for name in rows[0]
        if name != "Model"
    }


def published(level):
    path = shared.path("data/hanna") / "rankings" / f"{level}.csv"
    with path.open() as file:
        return {row["Model"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_all_correlations_of_hanna_by_story_equal_the_published_ones(
    hanna, coefficient
):
    """The mean over 96 prompts of the correlation over 10 systems: 3 x 432 values."""
    assert len(published("story")) == 72
    prompts = np.repeat(np.arange(96), 10)
    check(
        published("story"),
        f"story_{coefficient}",
        lambda metric, aspect: correlate(
            hanna[metric], hanna[aspect], coefficient=coefficient, groups=prompts
        ),
    )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_all_correlations_of_hanna_by_system_equal_the_published_ones(
    hanna, coefficient
):
    tables = {name: s.reshape(96, 10).T.copy() for name, s in hanna.items()}
    means = {name: np.nanmean(table, axis=1) for name, table in tables.items()}
    check(
        published("system"),
        f"system_{coefficient}",
        lambda metric, aspect: getattr(correlation, coefficient)(
            means[metric], means[aspect]
        ),
    )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_means_taken_here_give_the_same_but_for_a_tie_that_rounding_broke(
    hanna, coefficient
):
    """Two systems have a mean complexity of 718/288; the paper's floats differ."""
    systems = np.tile(np.arange(10), 96)
    aspects = ASPECTS if coefficient == "pearson" else ASPECTS[:-1]
    check(
        dict(list(published("system").items())[::4]),
        f"system_{coefficient}",
        lambda metric, aspect: system_level(
            hanna[metric], hanna[aspect], systems, coefficient=coefficient,
            common_only=False,
        ),
        aspects,
    )  # fmt: skip


def check(rows, column, correlate_, aspects=ASPECTS):
    """The published values are without sign."""
    pairs = [(metric, aspect) for metric in rows for aspect in aspects]
    found = [abs(correlate_(metric, aspect).value) for metric, aspect in pairs]
    expected = [float(rows[metric][f"{aspect}_{column}"]) for metric, aspect in pairs]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("question", ["human_like", "sensible", "interesting"])
def test_mauve_against_bradley_terry_scores_equals_the_published_spearman(question):
    path = shared.path("data/mauve_human_eval") / "bt_scores_from_notebook.json"
    data = json.loads(path.read_text())
    systems = np.array(sorted(data["mauve"]))
    mauve, strength = (
        np.array([data[name][system] for system in systems])
        for name in ("mauve", f"bt_{question}")
    )
    found = system_level(mauve, strength, systems, coefficient="spearman")
    assert found.n == 8
    assert found.value == pytest.approx(data["published_spearman"][question], abs=1e-12)
