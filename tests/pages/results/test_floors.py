"""What the answer says of a metric, wherever correlations are read."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation
from scoring import analyses
from scoring.models import Analysis
from scoring.results import answer, floors
from scoring.stats.answer.chips import TITLES, USEFUL
from tests.scoring import analysed
from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.usefixtures("as_alice", "nobody_is_woken")

TOLD = {TITLES[chip] for chip in USEFUL}
CORRELATIONS = "/studies/ferry/results/correlations/correlations"


@pytest.fixture
def study(make_study):
    return rated(make_study, prompts=30)


def rated(make_study, *, prompts: int):
    """A metric that follows people and one that is drawn by lot."""
    study = make_study(prompts=prompts, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(2, 5, size=4 * prompts)
    ratings = [[int(q + d) for d in rng.integers(-1, 2, size=2)] for q in quality]
    rate(study, "coherence", ratings)
    score(study, COHERENCE, [float(q) for q in quality])
    lots = rng.random(4 * prompts).tolist()
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
    assert any(words in found for words in TOLD)
    assert TITLES["unclear"] in found or TITLES["little"] in found
    assert "A simple guess itself" in found


def test_files_of_the_table_say_so_too(client, study):
    page(client, study)
    column = "Coherence Simple guesses"
    found = {row["Metric"]: row[column] for row in rows(client, f"{CORRELATIONS}.csv")}
    judge = next(name for name in found if name.startswith("judge: Coherence"))
    assert found[judge] in TOLD
    lottery = next(name for name in found if name.startswith("lottery"))
    assert found[lottery] in {TITLES["unclear"], TITLES["little"]}
    kept = json.loads(client.get(f"{CORRELATIONS}.json").content)
    assert column in kept["columns"]


def test_trivial_predictors_stand_below_the_metrics_with_what_they_reach(client, study):
    found = page(client, study)
    assert "Guess: surface features" in found
    told = {row["Metric"]: row for row in rows(client, f"{CORRELATIONS}.csv")}
    names = list(told)
    at = names.index("Guess: word count")
    assert all(not name.startswith("Guess") for name in names[:at])
    answer = analysed.computed(study, "answer")["aspects"][0]["sentinels"]
    reached = {one["key"]: one["r"]["value"] for one in answer}
    shown = float(told["Guess: system's mean rating"]["Coherence r"])
    assert shown == pytest.approx(reached["system"], abs=1e-9)
    # All texts have as many words; and the answer has one coefficient only.
    assert told["Guess: word count"]["Coherence r"] == ""
    assert told["Guess: system's mean rating"]["Coherence ρ"] == ""
    assert "the same for all texts" in found


def test_until_there_is_an_answer_the_table_says_so(client, study):
    found = analysed.page(client, study, "correlations")
    assert floors.COMPUTING in found


def test_means_of_systems_have_no_verdict(client, study):
    found = analysed.page(client, study, "correlations", level="systems")
    assert "Simple guesses" not in found


def test_without_ratings_nothing_is_asked(make_study):
    assert floors.find(study=make_study(), now=timezone.now()) is None


def test_the_table_of_results_says_so(client, study):
    analysed.overview_of(study)
    analysed.computed(study, "answer")
    found = client.get("/studies/ferry/results/").content.decode()
    assert any(words in found for words in TOLD)
    told = rows(client, "/studies/ferry/results/correlations.csv")
    found = {row["metric"]: row["trivial_predictors"] for row in told}
    assert found["judge"] in TOLD
    assert found["length"] == "A simple guess itself"


def test_the_page_of_a_metric_says_so(client, make_study):
    rated(make_study, prompts=9)  # too few to compare texts of one prompt: same lengths
    analysed.seen(client, reverse("metric", args=["length"]))
    found = analysed.seen(client, reverse("metric", args=["length"]))
    assert "A simple guess itself" in found


def test_two_metrics_are_held_against_trivial_predictors(client, study):
    analysed.page(client, study, "comparison")
    analysed.work(study)
    found = analysed.page(client, study, "comparison")
    assert "Are they better than simple guesses?" in found
    address = "/studies/ferry/results/comparison/trivial.csv"
    told = {row["Metric"].split()[0]: row for row in rows(client, address)}
    assert set(told) == {"judge:", "lottery:"}
    for row in analysed.computed(study, "answer")["aspects"][0]["rows"]:
        gaps = {gap["key"]: gap["difference"]["value"] for gap in row["floor"]}
        shown = told[row["name"].split()[0]]["Minus Surface features"]
        assert float(shown) == pytest.approx(gaps["surface"], abs=1e-9)


def test_means_of_systems_are_held_against_no_trivial_predictor(client, study):
    found = analysed.page(client, study, "comparison", level="systems")
    assert "Are they better than simple guesses?" not in found


def test_the_first_page_of_results_has_trivial_predictors_below_its_metrics(
    client, study
):
    analysed.work(study)
    client.get("/studies/ferry/results/")
    analysed.work(study)
    found = client.get("/studies/ferry/results/").content.decode()
    table = found.partition('class="table correlations"')[2].partition("</table>")[0]
    foot = table.partition("<tfoot>")[2]
    assert "Guess: word count" in foot and "Guess: surface features" in foot
    assert floors.NOT_ASKED in foot
    assert "Guess: " not in table.partition("<tfoot>")[0]


def test_of_another_grouping_no_trivial_predictor_stands_there(study):
    found = floors.Floors({}, "item", "pearson", {"coherence": []})
    assert floors.reached(found, "item") == {"coherence": []}
    assert floors.reached(found, "none") == floors.reached(None, "item") == {}


def test_of_texts_that_nobody_rated_no_answer_is_begun(study):
    """It could not be computed, and a worker would be woken for it at each visit."""
    Annotation.objects.all().delete()
    result = {"level": "texts", "coefficient": "pearson", "grouping": "none"}
    under = floors.under_two(
        study=study,
        options=analyses.options("comparison", {}),
        result={**result, "outputs": [], "aspects": []},
        now=timezone.now(),
    )
    assert "under" not in under
    assert not Analysis.objects.filter(name=answer.NAME).exists()
