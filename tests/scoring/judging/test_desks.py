"""A run's desk: calls are rows, limits hold, and answers are used again."""

from __future__ import annotations

import math

import pytest

from scoring.judging import desks
from scoring.judging.spending import Limit, columns
from scoring.metrics import Example, MetricError, get
from scoring.models import JudgeCall, JudgeIdentity, JudgeSecond, MetricRun
from tests.scoring.metrics._judge.servers import Server, completion, error

TEXTS = [Example(f"Text number {n}.") for n in range(6)]


@pytest.fixture
def run(make_study):
    return _run(make_study())


def _run(study, **fields):
    from django.utils import timezone

    now = timezone.now()
    agreed = columns(Limit(**{"calls": 1000, **fields}), now=now)
    return MetricRun.objects.create(
        study=study, metric="llm_judge", started_at=now, **agreed
    )


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Start a server, written into the operator's file."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(reply, **fields):
            server = stack.enter_context(Server(reply).running())
            lines = [f'url = "{server.url}"', 'models = ["tiny"]']
            lines += [
                f"{key} = {value!r}".replace("'", '"') for key, value in fields.items()
            ]
            file = tmp_path / "judges.toml"
            file.write_text("\n".join(["[judges.lab]", *lines]))
            monkeypatch.setenv("JUDGES_FILE", str(file))
            return server

        yield start


def judge(run, **options):
    metric = get("llm_judge")(
        **{"model": "endpoint:lab/tiny", "mode": "answer", **options}
    )
    return desks.scorer(metric, run)


def always(*contents):
    def reply(body, n):
        return completion(contents[min(n, len(contents) - 1)])

    return reply


pytestmark = pytest.mark.django_db(transaction=True)


def test_each_call_is_a_row_and_counted(run, serve):
    server = serve(always("4"), price_in=10.0, price_out=100.0)
    found = judge(run)(TEXTS)
    assert found.values["quality"].tolist() == [4.0] * 6
    assert JudgeCall.objects.filter(run=run, status=200).count() == 7
    assert len(server.asked) == 7
    run.refresh_from_db()
    assert (run.n_calls, run.n_kept) == (7, 0)
    assert (run.tokens_in, run.tokens_out) == (7 * 50, 7 * 3)
    assert run.cost == pytest.approx(7 * (50 * 10 + 3 * 100) / 1e6)
    assert run.held_cost == pytest.approx(0)
    assert str(JudgeIdentity.objects.get()) == "lab/tiny: tiny"
