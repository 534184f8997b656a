"""Metrics on the damaged texts that raters saw: apart from the scores of texts."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scoring import runs
from scoring.metrics.length import lengths
from scoring.models import MetricRun, NegativeScore, Score
from scoring.results import overview, study_arrays
from scoring.runs import RunError, outcomes
from tests.annotation.seating import hand_in, lay_out, sit
from tests.scoring.working import work

NEGATIVES = MetricRun.On.NEGATIVES


@pytest.fixture
def study(make_study):
    study = make_study()
    lay_out(study)
    return study


def scored(study, on: str = NEGATIVES, metric: str = "length") -> MetricRun:
    run = runs.start(study=study, metric=metric, options={}, on=on)
    work(run)
    assert run.state == "done", run.error
    return run


def test_every_negative_is_scored_as_raters_saw_it(study):
    scored(study)
    found = NegativeScore.objects.filter(output="words")
    assert {score.value for score in found} == {
        lengths(f"{survey.prompt.prefix} damaged")["words"]
        for survey in study.surveys.all()
    }
    assert found.count() == study.surveys.count()


def test_no_score_of_a_text_comes_or_goes(study):
    scored(study, on=MetricRun.On.TEXTS)
    before = list(Score.objects.order_by("pk").values_list("pk", "value"))
    scored(study)
    assert list(Score.objects.order_by("pk").values_list("pk", "value")) == before


def test_texts_and_negatives_share_a_signature(study):
    texts, negatives = scored(study, on=MetricRun.On.TEXTS), scored(study)
    assert texts.signature == negatives.signature


def test_a_second_run_scores_nothing_again(study):
    scored(study)
    ids = set(NegativeScore.objects.values_list("pk", flat=True))
    run = scored(study)
    assert set(NegativeScore.objects.values_list("pk", flat=True)) == ids
    assert run.chunks.get().scored == 0


def test_results_know_the_run_of_the_texts_only(study):
    scored(study)
    data = study_arrays.load(study=study, needs={"scores", "negatives"})
    assert all(output.signature_id is None for output in data.outputs)
    rows = overview.now(study=study)["correlations"]
    assert all(row["signature_id"] is None for row in rows)


def test_scores_stand_beside_their_negatives(study):
    hand_in(sit(study, "w1"))
    scored(study, on=MetricRun.On.TEXTS)
    scored(study)
    data = study_arrays.load(study=study, needs={"scores", "negatives"})
    words = [output.key for output in data.outputs].index("words")
    assert data.negatives.perturbation.tolist() == ["shuffle", "shuffle"]
    expected = [lengths("Once upon a time 0 damaged")["words"]] * 2
    assert data.negative_scores[:, words].tolist() == expected
    assert data.negative_ratings.value.tolist() == [1] * study.aspects.count()


def test_the_run_lists_its_scores_by_survey(study):
    run = scored(study)
    header, rows = outcomes.scores(study=study, run=run)
    assert header == ["survey", "perturbation", "output", "value", "reason"]
    assert {row[0] for row in rows} == {1, 2}
    assert {count.scored for count in runs.counts(run=run)} == {2}
    assert [row.n for row in outcomes.summary(run=run)] == [2, 2, 2]


def test_pages_of_scores_follow_one_order(study, client, alice):
    run = scored(study)
    client.force_login(alice)
    url = f"/api/studies/{study.name}/runs/{run.pk}/scores/"
    with CaptureQueriesContext(connection) as made:
        assert client.get(url).status_code == 200
    (read,) = [
        one["sql"] for one in made if "LIMIT" in one["sql"] and '"output"' in one["sql"]
    ]
    order = read.rpartition("ORDER BY ")[2]
    assert order.count("ASC") == 2 and '"output" ASC' in order


def test_systems_have_no_negatives(study):
    with pytest.raises(RunError, match="negatives belong to no system"):
        runs.start(study=study, metric="corpus_distinct", options={}, on=NEGATIVES)


def test_without_surveys_there_are_no_negatives(make_study):
    with pytest.raises(RunError, match="has no negatives: they are made"):
        runs.start(study=make_study(), metric="length", options={}, on=NEGATIVES)


def test_its_page_says_what_was_scored(client, alice, study):
    run = scored(study)
    client.force_login(alice)
    page = client.get(run.get_absolute_url()).content.decode()
    assert "2 of 2 negatives scored" in page
    assert "the damaged texts that raters saw" in page
    assert "Explain single texts" not in page
    listed = client.get(reverse("runs", args=[study.name])).content.decode()
    assert ">damaged texts</span>" in listed
