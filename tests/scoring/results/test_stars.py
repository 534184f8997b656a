"""Metrics that a researcher chose, in time or afterwards, and those that are gone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from scoring.results import analysing, stars, study_arrays
from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def study(make_study):
    study = make_study(prompts=2, aspects=("coherence",))
    score(study, COHERENCE, [float(k) for k in range(8)])
    return study


def output(study) -> str:
    return study_arrays.outputs(study=study)[0].id


def choice(study) -> str:
    found = study_arrays.outputs(study=study)
    return stars.of(study=study, outputs=found).chosen[found[0].id]


def show(study, now: datetime = NOON) -> None:
    stars.record(study=study, data=study_arrays.load(study=study), now=now)


def rated(study) -> None:
    rate(study, "coherence", [[1 + k % 5, 1 + (k + 1) % 5] for k in range(8)])


def test_a_metric_is_not_chosen_by_itself(study):
    assert choice(study) == ""


def test_a_star_before_any_result_is_in_time(study):
    stars.choose(study=study, output=output(study), now=NOON - timedelta(hours=1))
    rated(study)
    show(study)
    assert choice(study) == "before"


def test_a_star_after_the_first_result_is_late_for_good(study):
    rated(study)
    show(study)
    stars.choose(study=study, output=output(study), now=NOON + timedelta(hours=1))
    assert choice(study) == "after"


def test_without_ratings_nothing_is_shown(study):
    show(study)
    assert not study.compared_outputs.exists()


def test_a_star_taken_away_and_given_again_is_a_later_one(study):
    at = output(study)
    stars.choose(study=study, output=at, now=NOON - timedelta(hours=1))
    rated(study)
    show(study)
    stars.drop(study=study, output=at)
    assert choice(study) == ""
    stars.choose(study=study, output=at, now=NOON + timedelta(hours=1))
    assert choice(study) == "after"


def test_a_second_star_keeps_the_time_of_the_first(study):
    at = output(study)
    for hours in (-1, 1):
        stars.choose(study=study, output=at, now=NOON + timedelta(hours=hours))
    rated(study)
    show(study)
    assert choice(study) == "before"


def test_an_output_that_is_gone_still_counts(study):
    rated(study)
    analysing.result_of(study=study, name="answer", options={})
    study.runs.all().delete()
    study.generations.first().scores.all().delete()
    assert stars.of(study=study, outputs=[]).tried == 1
    study.compared_outputs.all().delete()
    assert stars.of(study=study, outputs=[]).tried == 0


def test_the_answer_is_made_of_the_stars(study):
    rated(study)
    before = analysing.stamps_of(study=study)["answer"]
    stars.choose(study=study, output=output(study), now=NOON)
    assert analysing.stamps_of(study=study)["answer"] != before
    result = analysing.result_of(study=study, name="answer", options={})
    assert result["aspects"][0]["rows"][0]["chosen"] == "before"


class TestCommand:
    """`manage.py star`."""

    def run(self, *given: str) -> str:
        out = StringIO()
        call_command("star", *given, stdout=out)
        return out.getvalue()

    def test_it_lists_what_can_be_chosen(self, study):
        assert output(study) in self.run("ferry")

    def test_it_chooses_by_name_and_takes_away(self, study):
        name = study_arrays.outputs(study=study)[0].name
        assert "chosen before any result was shown" in self.run("ferry", name)
        assert "chosen" not in self.run("ferry", name, "--remove")

    def test_an_unknown_metric_is_named_with_those_that_there_are(self, study):
        with pytest.raises(CommandError, match="no output has this name. Expected"):
            self.run("ferry", "nothing")


class TestApi:
    """/api/studies/NAME/stars/."""

    def test_it_chooses_and_takes_away(self, study, client, admin_user):
        client.force_login(admin_user)
        address = "/api/studies/ferry/stars/"
        body = json.dumps({"output": output(study)})
        kind = {"content_type": "application/json"}
        rows = client.post(address, body, **kind).json()
        assert rows[0]["chosen"] == "before"
        assert client.get(address).json() == rows
        body = json.dumps({"output": output(study), "remove": True})
        assert client.post(address, body, **kind).json()[0]["chosen"] == ""

    def test_an_unknown_output_is_refused_with_what_there_is(
        self, study, client, admin_user
    ):
        client.force_login(admin_user)
        answer = client.post(
            "/api/studies/ferry/stars/",
            json.dumps({"output": "none"}),
            content_type="application/json",
        )
        assert answer.status_code == 400 and output(study) in answer.content.decode()
