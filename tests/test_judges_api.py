"""Judges over the network, by the API."""

from __future__ import annotations

import pytest

from scoring.models import MetricRun
from tests.support import judges
from tests.test_api import CSV, api, lake, stranger, upload  # noqa: F401

MODEL = "endpoint:lab/tiny"


@pytest.fixture(autouse=True)
def lab(settings, tmp_path):
    judges.write(settings, tmp_path, price_in=1, price_out=2, currency='"EUR"')


def start(api, **fields):  # noqa: F811
    wanted = {"metric": "llm_judge", "options": {"model": MODEL, "mode": "answer"}}
    return api.post("/api/studies/lake/runs/", {**wanted, **fields}, format="json")


def test_without_consent_the_answer_says_what_it_would_take(api, lake):  # noqa: F811
    answer = start(api)
    assert answer.status_code == 400
    (said,) = answer.json()["errors"]
    assert "sends texts to lab, outside this server's own network: 9 calls" in said
    assert "EUR" in said
    assert not MetricRun.objects.exists()


def test_a_limit_starts_the_run_and_is_told_with_it(api, lake):  # noqa: F811
    made = start(api, limit={"agreed": True, "calls": 20, "cost": 0.5})
    assert made.status_code == 201, made.json()
    spending = made.json()["spending"]
    assert (spending["most_calls"], spending["most_cost"]) == (20, 0.5)
    assert (spending["currency"], spending["calls"]) == ("EUR", 0)


@pytest.mark.parametrize(
    "limit",
    [
        {"agreed": False, "calls": 20},
        {"calls": 20},
        {"agreed": True},
        {"agreed": True, "calls": 0},
        {"agreed": True, "calls": 20, "cost": -1},
    ],
)
def test_half_a_consent_is_none(api, lake, limit):  # noqa: F811
    assert start(api, limit=limit).status_code == 400
    assert not MetricRun.objects.exists()


def test_a_run_that_asks_nobody_takes_no_limit(api, lake):  # noqa: F811
    wanted = {"options": {}, "limit": {"agreed": True, "calls": 20}}
    answer = start(api, metric="length", **wanted)
    assert answer.status_code == 400
    assert "leave out limit" in str(answer.json())


def test_several_runs_have_a_limit_each(api, lake):  # noqa: F811
    limited = {
        "metric": "llm_judge",
        "options": {"model": MODEL, "mode": "answer"},
        "limit": {"agreed": True, "calls": 20},
    }
    wanted = {"runs": [limited, {**limited, "limit": None}, {"metric": "length"}]}
    wanted["runs"][1].pop("limit")
    made = api.post("/api/studies/lake/runs/several/", wanted, format="json").json()
    assert [run["metric"] for run in made["started"]] == ["llm_judge", "length"]
    assert "sends texts to lab" in made["refused"][0]["error"]


class TestRaise:
    URL = "/api/v1/studies/lake/runs/{}/raise/"

    @pytest.fixture
    def stopped(self, api, lake) -> MetricRun:  # noqa: F811
        """A run as workers leave it at its limit."""
        start(api, limit={"agreed": True, "calls": 20, "cost": 0.5})
        notes = ["The limit of 20 calls was reached."]
        MetricRun.objects.update(state="done", notes=notes, n_calls=20)
        return MetricRun.objects.get()

    def raised(self, api, run, **given):  # noqa: F811
        limit = {"agreed": True, "calls": 50, "cost": 1.5, **given}
        return api.post(self.URL.format(run.pk), limit, format="json")

    def test_the_run_goes_on_with_the_new_limit(self, api, stopped):  # noqa: F811
        answer = self.raised(api, stopped)
        assert answer.status_code == 200
        found = answer.json()
        assert (found["state"], found["notes"]) == ("queued", [])
        assert found["spending"]["most_calls"] == 50
        assert found["spending"]["most_cost"] == 1.5

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"agreed": False}, "Expected true"),
            ({"calls": 20, "cost": 0.5}, "expected a limit above the 20 calls"),
            ({"cost": None}, "neither calls nor cost below the previous limit"),
            ({"calls": 0}, "greater than or equal to 1"),
            ({"cost": "nan"}, "A valid number is required"),
        ],
    )
    def test_what_will_not_do_changes_nothing(
        self,
        api,  # noqa: F811
        stopped,
        given,
        said,
    ):
        answer = self.raised(api, stopped, **given)
        assert answer.status_code == 400 and said in str(answer.json())
        stopped.refresh_from_db()
        assert (stopped.state, stopped.most_calls) == ("done", 20)

    def test_one_that_did_not_stop_there_is_left_alone(self, api, stopped):  # noqa: F811
        MetricRun.objects.update(notes=[])
        assert "stopped at its limit" in str(self.raised(api, stopped).json())

    def test_only_who_may_change_the_study_may(
        self,
        api,  # noqa: F811
        stopped,
        stranger,  # noqa: F811
        bob,
    ):
        assert self.raised(stranger, stopped).status_code == 404
        stopped.study.members.create(user=bob, role="viewer")
        assert self.raised(stranger, stopped).status_code == 403
