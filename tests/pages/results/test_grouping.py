"""Which texts are compared where nobody chose: each page says it, and a plan wins."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from scoring import analyses
from scoring.models import Analysis, Plan
from scoring.results import analysing, answer, floors
from tests.scoring import analysed
from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.usefixtures("as_alice", "nobody_is_woken")

BY_PROMPT = "Texts of one prompt are compared with each other"
RESULTS = "/studies/ferry/results"


@pytest.fixture
def study(make_study):
    """Twenty-four prompts with four texts each."""
    study = make_study(prompts=24, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = np.tile([1, 2, 4, 5], 24)
    rate(study, "coherence", [[int(q), int(q)] for q in quality])
    score(study, COHERENCE, (quality + rng.normal(size=96)).tolist())
    return study


@pytest.fixture
def plan(study):
    return Plan.objects.create(
        study=study,
        policy=study.current_policy(),
        aspect=study.aspects.get(),
        coefficient="pearson",
        grouping="system",
        metrics=[{"metric": "judge", "output": "coherence", "options": {}}],
        locked_at=datetime(2026, 3, 1, tzinfo=UTC),
    )


def said(client, path: str = "") -> str:
    return client.get(f"{RESULTS}/{path}").content.decode()


@pytest.mark.parametrize("name", ["answer", "correlations", "comparison"])
def test_a_page_says_what_is_compared_and_why(client, study, name):
    page = analysed.page(client, study, name)
    assert BY_PROMPT in page
    assert "24 of 24 prompts have 3 or more rated texts" in page


@pytest.mark.parametrize("name", ["correlations", "comparison"])
def test_where_someone_chose_it_says_what_but_not_why(client, study, name):
    page = analysed.page(client, study, name, grouping="item")
    assert f"{BY_PROMPT} (4 texts of a prompt)." in page
    assert "24 of 24 prompts" not in page


def test_results_say_it_beside_the_coefficients(client, study):
    analysed.overview_of(study)
    page = said(client)
    assert BY_PROMPT in page
    assert f'href="{RESULTS}/correlations/?grouping=none"' in page
    assert "% Texts of one prompt are compared" in said(client, "correlations.tex")


@pytest.mark.parametrize(
    "table", ["answer/paper", "correlations/correlations", "comparison/difference"]
)
def test_latex_has_it_as_a_note_and_json_too(client, study, table):
    analysed.computed(study, table.split("/")[0])
    assert f"% {BY_PROMPT}" in said(client, f"{table}.tex")
    assert BY_PROMPT in said(client, f"{table}.json")


def test_results_and_their_files_take_another_choice(client, study):
    said(client, "?grouping=none")
    analysed.work(study)
    page = said(client, "?grouping=none")
    assert "All 96 rated texts are compared with each other." in page
    assert "correlations.tex?grouping=none" in page
    assert "over all 96 rated texts" in said(client, "correlations.tex?grouping=none")


@pytest.mark.parametrize("given", ["grouping=prompt", "undefined=nan"])
def test_a_choice_that_there_is_not_is_refused(client, study, given):
    assert client.get(f"{RESULTS}/?{given}").status_code == 404
    refused = client.get(f"/api/v1/studies/ferry/correlations/?{given}")
    assert refused.status_code == 400


def test_a_file_made_while_texts_are_scored_says_of_which_moment_it_is(client, study):
    analysed.computed(study, "overview")
    analysed.computed(study, "correlations")
    files = ("correlations.tex", "correlations/correlations.tex")
    assert not any("As of" in said(client, file) for file in files)
    study.runs.create(metric="slow", options={}, state="running")
    for file in files:
        assert "while texts were being scored by slow" in said(client, file)
        assert "As of 20 November 2026, 12:00 UTC" in said(client, file)


def test_the_api_names_it_in_each_row_and_gives_the_reason(client, study):
    analysed.computed(study, "overview")
    rows = client.get("/api/v1/studies/ferry/correlations/").json()
    assert {row["grouping"] for row in rows} == {"item"}
    found = client.get("/api/v1/studies/ferry/analyses/overview/").json()["result"]
    assert found["grouping"] == "item"
    assert found["grouping_why"].startswith(BY_PROMPT)


def test_correlations_and_results_share_one_answer(client, study):
    analysed.page(client, study, "correlations")
    answer.find(study=study, now=analysed.NOON)
    assert Analysis.objects.filter(name="answer").count() == 1
    analysed.work(study)
    page = said(client, "correlations/")
    assert "Guess: word count" in page and floors.COMPUTING not in page


def test_an_answer_of_other_texts_says_nothing_beside_correlations(client, study):
    analysed.page(client, study, "correlations")
    analysed.work(study)
    row = Analysis.objects.get(name="answer")
    row.result["grouping"] = "none"  # as of older ratings
    row.save()
    assert floors.COMPUTING in said(client, "correlations/")


def test_a_locked_plan_names_it_for_every_page(study, plan):
    for name in ("answer", "correlations", "comparison", "overview"):
        found = analysed.computed(study, name)
        assert found["grouping"] == "system", name
        assert found["compared"] == "24 texts of a system"
        assert "are needed" not in found["grouping_why"]
        assert found["made_of"]["options"]["grouping"] == "system"
        assert analysing.result_of(study=study, name=name, options={}) == found


def test_beside_a_plan_one_may_still_choose(study, plan):
    assert analysed.computed(study, "correlations", grouping="item")["grouping"] == (
        "item"
    )


def test_a_draft_of_a_plan_decides_nothing(study, plan):
    Plan.objects.update(locked_at=None)
    assert analysed.computed(study, "correlations")["grouping"] == "item"


@pytest.mark.parametrize("name", ["answer", "correlations", "comparison", "overview"])
def test_options_that_name_it_are_written_as_ever(name):
    chosen = analyses.canonical(analyses.options(name, {"grouping": "none"}))
    assert '"grouping": "none"' in chosen
    usual = analyses.canonical(analyses.options(name, {}))
    assert usual == chosen.replace('"grouping": "none"', '"grouping": "auto"')
