"""What the answer says of a metric, wherever correlations are read."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from scoring.results import floors
from tests.scored import COHERENCE, rate, score
from tests.scoring import analysed

pytestmark = pytest.mark.usefixtures("as_alice", "nobody_is_woken")

CORRELATIONS = "/studies/ferry/results/correlations/correlations"


@pytest.fixture
def study(make_study):
    """A metric that follows people and one that is drawn by lot."""
    study = make_study(prompts=12, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(2, 5, size=48)
    ratings = [[int(q + d) for d in rng.integers(-1, 2, size=2)] for q in quality]
    rate(study, "coherence", ratings)
    score(study, COHERENCE, [float(q) for q in quality])
    lots = rng.random(48).tolist()
    score(study, COHERENCE, lots, metric="lottery", signature="lottery|v:1")
    return study


def rows(client, address: str) -> list[dict[str, str]]:
    found = client.get(address)
    assert found.status_code == 200
    return list(csv.DictReader(io.StringIO(found.content.decode(), newline="")))


def page(client, study) -> str:
    analysed.page(client, study, "correlations")
    analysed.work(study)
    return client.get("/studies/ferry/results/correlations/").content.decode()


def test_correlations_say_what_is_not_told_apart_from_a_trivial_predictor(
    client, study
):
    found = page(client, study)
    assert "Better than trivial" in found
    assert "Not clearly better than" in found or "Worse than" in found
    assert "A trivial predictor itself" in found


def test_files_of_the_table_say_so_too(client, study):
    page(client, study)
    column = "Coherence Trivial predictors"
    found = {row["Metric"]: row[column] for row in rows(client, f"{CORRELATIONS}.csv")}
    judge = next(name for name in found if name.startswith("judge: Coherence"))
    assert found[judge] == "Better than trivial"
    lottery = next(name for name in found if name.startswith("lottery"))
    assert found[lottery] != "Better than trivial"
    kept = json.loads(client.get(f"{CORRELATIONS}.json").content)
    assert column in kept["columns"]


def test_until_there_is_an_answer_the_table_says_so(client, study):
    found = analysed.page(client, study, "correlations")
    assert floors.COMPUTING in found


def test_means_of_systems_have_no_verdict(client, study):
    found = analysed.page(client, study, "correlations", level="systems")
    assert "Trivial predictors" not in found


def test_without_ratings_nothing_is_asked(make_study):
    assert floors.find(study=make_study(), now=timezone.now()) is None


def test_the_table_of_results_says_so(client, study):
    analysed.overview_of(study)
    analysed.computed(study, "answer")
    found = client.get("/studies/ferry/results/").content.decode()
    assert "Better than trivial" in found
    told = rows(client, "/studies/ferry/results/correlations.csv")
    found = {row["metric"]: row["trivial_predictors"] for row in told}
    assert found["judge"] == "Better than trivial"
    assert found["length"] == "A trivial predictor itself"


def test_the_page_of_a_metric_says_so(client, study):
    analysed.seen(client, reverse("metric", args=["length"]))
    found = analysed.seen(client, reverse("metric", args=["length"]))
    assert "A trivial predictor itself" in found
