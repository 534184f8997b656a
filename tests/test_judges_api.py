"""Judges over the network, by the API."""

from __future__ import annotations

import pytest

from scoring.models import MetricRun
from tests import judges
from tests.test_api import CSV, api, lake, upload  # noqa: F401

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
