"""A judge that marks errors, on servers of this machine that speak as others do."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from scoring.endpoints.client import Client
from scoring.endpoints.configuration import Endpoint
from scoring.metrics import Example, MetricError, OptionError, get
from scoring.metrics.judge import marking_scorer
from scoring.metrics.judge.error_scheme import ESA
from tests.scoring.endpoints import quirks
from tests.scoring.endpoints.servers import (
    MISBEHAVIOURS,
    Answering,
    Clock,
    Reply,
    Server,
    completion,
    message_of,
)

TEXTS = [Example(f"Text number {n}.") for n in (4, 2)]
REFUSED = {"noschema", "fenced", "thinknull"}


def judged(reply: Answering, texts: Any = TEXTS, **fields: Any) -> Any:
    clock, server = Clock(), Server(reply)
    with server.running():
        endpoint = Endpoint("lab", server.url, ("tiny",), **fields)
        client = Client(endpoint, "tiny", waits=clock.waits(), shared=clock.limits())
        scorer = marking_scorer.load(client, ESA, "", 4)
        return scorer(texts), server, scorer


def errors(*found: dict[str, Any]) -> str:
    return json.dumps({"errors": [{"severity": "minor", **error} for error in found]})


def always(content: str, **more: Any) -> Answering:
    return lambda body, n: (
        quirks.ok(body, n) if quirks.is_test(body) else completion(content, **more)
    )


@pytest.mark.parametrize("name", sorted(set(quirks.QUIRKS) - REFUSED))
def test_every_server_that_keeps_to_a_schema_is_understood(name):
    scores, _, _ = judged(quirks.QUIRKS[name]())
    assert scores.reasons["errors"] == [None, None]
    assert scores.values["errors"].tolist() == [1, 1]
    assert [one.marks[0].words for one in scores.marked] == ["number 4", "number 2"]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_of_others_it_is_said_before_any_text_is_sent(name):
    asked: list[Any] = []

    def reply(body: Any, n: int) -> Reply:
        asked.append(body)
        return quirks.QUIRKS[name]()(body, n)

    with pytest.raises(MetricError):
        judged(reply)
    assert all(map(quirks.is_test, asked))


@pytest.mark.parametrize("schemas", ["json_schema", "json_object"])
def test_the_schema_is_sent_as_the_server_takes_it(schemas):
    _, server, _ = judged(quirks.ok, schemas=schemas)
    form = server.asked[-1]["response_format"]
    assert form["type"] == schemas
    schema = form["schema"] if schemas == "json_object" else form["json_schema"]
    assert "errors" in json.dumps(schema)
    assert server.asked[-1]["temperature"] == 0


def test_no_errors_cost_nothing():
    scores, _, _ = judged(always(errors()))
    assert scores.values["errors"].tolist() == [0, 0]
    assert [one.marks for one in scores.marked] == [(), ()]


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ('{"errors": [{"quote": "Text", "sev', {}),
        ('{"errors": []}', {"finish": "length"}),
        ("I find no errors.", {}),
        (errors({"quote": "Text", "severity": "dreadful"}), {}),
        (errors({"quote": "Text", "severity": ""}), {}),
    ],
)
def test_an_answer_that_cannot_be_read_is_missing_and_never_no_errors(content, more):
    scores, _, _ = judged(always(content, **more))
    assert scores.marked == [None, None]
    assert np.isnan(scores.values["errors"]).all()
    assert all(scores.reasons["errors"])


@pytest.mark.parametrize("name", sorted(set(MISBEHAVIOURS) - {"hang", "another model"}))
def test_servers_that_misbehave_give_a_reason(name):
    def reply(body: Any, n: int) -> Reply:
        return quirks.ok(body, n) if quirks.is_test(body) else MISBEHAVIOURS[name]()

    scores, _, _ = judged(reply, TEXTS[:1])
    assert scores.marked == [None] and scores.reasons["errors"][0]


def test_quotes_without_a_place_are_counted():
    scores, _, _ = judged(always(errors({"quote": "Nowhere"}, {"quote": "e"})))
    assert scores.values["unplaced"].tolist() == [2, 2]
    assert scores.values["errors"].tolist() == [1, 1]  # of what stands there twice
    codes = [error.code for error in scores.marked[0].unplaced]
    assert codes == ["absent", "ambiguous"]


def test_an_empty_text_is_not_asked_about():
    scores, server, _ = judged(quirks.ok, [Example(" ")])
    assert scores.marked == [None] and scores.reasons["errors"] == [
        marking_scorer.NO_TEXT
    ]
    assert all(map(quirks.is_test, server.asked))


def test_the_signature_names_judge_and_scheme():
    _, _, scorer = judged(quirks.ok)
    assert scorer.signature.startswith("llm_judge|aspects:spans:sha256:")
    assert "|endpoint:lab/tiny|" in scorer.signature
    assert "|mode:spans|" in scorer.signature


def test_what_is_asked_is_what_the_metric_shows():
    metric = get("llm_judge")(model="endpoint:lab/tiny", mode="spans")
    _, server, _ = judged(quirks.ok)
    shown = {metric.prompts(text)["errors"] for text in TEXTS}
    assert {message_of(b) for b in server.asked if not quirks.is_test(b)} == shown


@pytest.mark.parametrize(
    "options",
    [
        {"model": "bundled:causal-nano", "mode": "spans"},
        {"model": "endpoint:lab/tiny", "mode": "answer", "scheme": "{}"},
        {"model": "endpoint:lab/tiny", "mode": "spans", "scheme": "{"},
        {"model": "endpoint:lab/tiny", "mode": "spans", "steps": "Read."},
    ],
)
def test_options_that_do_not_fit_are_refused(options):
    with pytest.raises(OptionError):
        get("llm_judge")(**options).check()
