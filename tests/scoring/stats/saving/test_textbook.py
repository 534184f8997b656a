"""The published form, against the package of its authors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.scoring.stats.saving import textbook

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "saved.json"
CASES = json.loads(GOLDEN.read_text())["cases"]


@pytest.mark.parametrize("case", CASES)
def test_means_and_intervals_are_those_of_ppi_python(case):
    y, f = np.array(case["y"]), np.array(case["f"])
    for one in case["found"]:
        made = textbook.mean(y, f[: case["n"]], f[case["n"] :], weight=one["weight"])
        assert made[:3] == pytest.approx(one["found"], rel=0, abs=1e-10)


def test_a_metric_that_runs_against_people_has_no_weight():
    y = np.arange(20.0)
    assert textbook.mean(y, -y, -y).weight == 0
