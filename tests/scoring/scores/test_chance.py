from __future__ import annotations

import pytest

from scoring.scores.chance import no_better


@pytest.mark.parametrize(
    ("figures", "luck"),
    [
        # Standard error of the AUC by chance with 50 and 50: sqrt(101 / 30000) = 0.058.
        ({"n": 100, "auc": 0.51}, True),
        ({"n": 100, "auc": 0.59}, True),
        ({"n": 100, "auc": 0.60}, False),
        ({"n": 10_000, "auc": 0.51}, False),
        ({"n": 100, "auc": 0.2}, True),
        # sqrt(0.25 / 100) = 0.05: one needs 0.5 + 0.082.
        ({"n": 100, "accuracy": 0.55, "majority": 0.5}, True),
        ({"n": 100, "accuracy": 0.60, "majority": 0.5}, False),
        # 1.645 / sqrt(100) = 0.1645.
        ({"n": 101, "spearman": 0.16}, True),
        ({"n": 101, "spearman": 0.17}, False),
        ({"auc": 0.5}, False),
        ({}, False),
    ],
)
def test_figures_that_may_be_luck(figures, luck):
    assert no_better(figures) is luck
