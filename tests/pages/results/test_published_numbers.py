"""Numbers of published data, by command, API and file, against scipy on the raw file.

A count of words stands for the metric: anyone can make it from the file alone.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO
from typing import Any, NamedTuple

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats

from annotation.models import Study
from tests.scoring import analysed
from tests.support import shared

pytestmark = pytest.mark.usefixtures("as_alice", "nobody_is_woken")

SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


class Raw(NamedTuple):
    """Of each text of a file: its words, its human scores and its prompt."""

    words: np.ndarray
    human: dict[str, np.ndarray]
    prompt: np.ndarray


def sentiment() -> Raw:
    """The sentiment study of CTRLEval: a prompt is a label and a prefix."""
    lines = shared.path("data/ctrleval/data_senti.txt").read_text("utf-8").splitlines()
    label, prefix, text, *scores = zip(*(x.split("\t") for x in lines), strict=True)
    aspects = ("coherence", "consistency", "attribute-relevance")
    return Raw(
        np.array([len(one.split()) for one in text]),
        {k: np.array(v, float) for k, v in zip(aspects, scores, strict=True)},
        np.char.add(label, prefix),
    )


def mans() -> Raw:
    """Five ratings of each of 1,000 stories, which go on from 200 beginnings."""
    found = json.loads(shared.path("data/openmeva_mans/mans_roc.json").read_text())
    stories = [(key, one) for key, of in found.items() for one in of["gen"].values()]
    whole = [f"{found[key]['prompt']} {one['text']}" for key, one in stories]
    return Raw(
        np.array([len(one.split()) for one in whole]),
        {"overall": np.array([np.mean(one["score"]) for _, one in stories])},
        np.array([key for key, _ in stories]),
    )


CASES: dict[str, tuple[str, list[str], Callable[[], Raw]]] = {
    "ctrleval": ("ctrleval/data_senti.txt", ["--systems", "by-order"], sentiment),
    "openmeva": ("openmeva_mans/mans_roc.json", [], mans),
}


@pytest.fixture(params=CASES)
def case(request, alice) -> tuple[Study, Raw]:
    file, options, read = CASES[request.param]
    path = shared.path(f"data/{file}")
    given = ["--format", request.param, "--owner", "alice", *options]
    call_command("import_study", "paper", str(path), *given, stdout=StringIO())
    return Study.objects.get(name="paper"), read()


def expected(raw: Raw, aspect: str, name: str, grouping: str) -> float:
    x, y = raw.words, raw.human[aspect]
    if grouping == "none":
        return float(SCIPY[name](x, y).statistic)
    of = [raw.prompt == one for one in np.unique(raw.prompt)]
    of = [rows for rows in of if np.ptp(y[rows]) > 0]  # else people say nothing
    tied = [np.ptp(x[rows]) == 0 for rows in of]
    found = [
        0.0 if same else float(SCIPY[name](x[rows], y[rows]).statistic)
        for rows, same in zip(of, tied, strict=True)
    ]
    return float(np.mean(found))


def by_command(grouping: str) -> list[dict[str, Any]]:
    out = StringIO()
    given = ["paper", "--json", "--grouping", grouping]
    call_command("correlations", *given, stdout=out)
    return list(json.loads(out.getvalue()))


def by_api(client, grouping: str) -> list[dict[str, Any]]:
    address = f"/api/v1/studies/paper/correlations/?grouping={grouping}"
    return list(client.get(address).json())


def by_file(client, study: Study, grouping: str) -> list[dict[str, str]]:
    address = f"/studies/paper/results/correlations.csv?grouping={grouping}"
    client.get(address)
    analysed.work(study)
    return list(csv.DictReader(StringIO(client.get(address).content.decode())))


@pytest.mark.slow
@pytest.mark.parametrize("grouping", ["none", "item"])
def test_they_are_scipys_wherever_they_are_asked_for(client, case, grouping):
    study, raw = case
    tables = [
        by_command(grouping), by_api(client, grouping), by_file(client, study, grouping)
    ]  # fmt: skip
    for rows in tables:
        words = [row for row in rows if row["metric_aspect"] == "words"]
        assert len(words) == len(raw.human)
        for row, name in ((row, name) for row in words for name in SCIPY):
            wanted = expected(raw, row["human_aspect"], name, grouping)
            assert float(row[name]) == pytest.approx(wanted, abs=1e-9), name
            assert row["grouping"] == grouping


@pytest.mark.slow
def test_latex_names_the_texts_that_were_asked_for(client, case):
    study, raw = case
    n, of = len(raw.words), len(raw.words) // len(np.unique(raw.prompt))
    for grouping, said in (
        ("none", f"over all {n:,} rated texts"),
        ("item", f"({of} texts of a prompt)"),
    ):
        address = f"/studies/paper/results/correlations.tex?grouping={grouping}"
        client.get(address)
        analysed.work(study)
        assert said in client.get(address).content.decode()
