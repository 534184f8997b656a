from __future__ import annotations

from functools import partial

import pytest

from scoring.judging import estimates
from scoring.judging.forms.limits import LimitForm
from scoring.metrics import MetricError, get
from scoring.metrics.judge import workload
from tests.support import judges as judges_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def judges(settings, tmp_path):
    """Writes the operator's file; the fields are those of one endpoint."""
    write = partial(judges_file.write, settings, tmp_path)
    write()
    return write


def judge(**given: object) -> object:
    given = {"model": "endpoint:lab/tiny", "mode": "answer", **given}
    return get("llm_judge")(**given)


def test_a_call_for_each_text_and_question_and_one_as_a_test(judges, make_study):
    study = make_study(prompts=3)
    asked = judge(aspects="a: How good?\nb: How fluent?")
    n = study.generations.count()
    assert estimates.of_run(study=study, metric=asked).calls == 2 * n + 1


def test_samples_multiply_the_calls_in_their_mode_alone(judges, make_study):
    study = make_study(prompts=3)
    n = study.generations.count()
    sampled = judge(mode="samples", samples=5)
    assert estimates.of_run(study=study, metric=sampled).calls == 5 * n + 1


def test_money_is_the_prices_times_the_tokens(judges):
    judges(price_in=2, price_out=10, currency='"EUR"')
    size = workload.Size(calls=10, bytes_in=4_000_000, most_tokens_out=100_000)
    found = estimates.estimate(model="endpoint:lab/tiny", size=size)
    probe = workload.of_probe()
    tests = (2 * -(-probe.bytes_in // 4) + 10 * probe.most_tokens_out) / 1e6
    assert found.cost == pytest.approx(2 + 1 + tests, abs=2e-6)
    assert found.currency == "EUR"


def test_one_price_alone_gives_no_sum_and_no_field_for_it(judges):
    judges(price_in=2)
    found = estimates.estimate(model="endpoint:lab/tiny", size=workload.Size(1, 4, 8))
    assert found.cost is None
    assert "most_cost" not in LimitForm(found).fields


def test_a_study_with_many_texts_is_measured_on_some(judges, make_study, monkeypatch):
    monkeypatch.setattr(estimates, "TEXTS_MEASURED", 2)
    study = make_study(prompts=4, systems=("a",))
    found = estimates.of_run(study=study, metric=judge())
    assert (found.calls, found.texts, found.measured) == (5, 4, 2)
    assert found.sampled


def test_an_endpoint_that_is_gone_is_said(judges, make_study):
    with pytest.raises(MetricError, match="there is no endpoint gone"):
        estimates.estimate(model="endpoint:gone/tiny", size=workload.Size(1, 4, 8))


def test_the_limit_is_what_was_agreed_to(judges):
    judges(price_in=2, price_out=10)
    found = estimates.estimate(model="endpoint:lab/tiny", size=workload.Size(10, 4, 8))
    form = LimitForm(found, {"agreed": "on", "most_calls": "30", "most_cost": "0.5"})
    assert form.is_valid()
    assert form.limit() == (30, 0.5, "USD")


@pytest.mark.parametrize("cost", ["", "-1", "nan", "1e400"])
def test_a_limit_of_money_is_a_number(judges, cost):
    judges(price_in=2, price_out=10)
    found = estimates.estimate(model="endpoint:lab/tiny", size=workload.Size(10, 4, 8))
    form = LimitForm(found, {"agreed": "on", "most_calls": "30", "most_cost": cost})
    assert not form.is_valid()


def test_without_consent_there_is_no_limit(judges):
    found = estimates.estimate(model="endpoint:lab/tiny", size=workload.Size(10, 4, 8))
    form = LimitForm(found, {"most_calls": "30"})
    assert form.errors["agreed"] == [
        "Tick the box if you agree. Nothing has been sent."
    ]


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0, 0), (433.2, 440), (0.0123, 0.013), (0.07, 0.07), (7, 7), (1e6, 1e6)],
)
def test_limits_are_proposed_in_round_numbers(value, rounded):
    assert estimates._rounded_up(value) == rounded
