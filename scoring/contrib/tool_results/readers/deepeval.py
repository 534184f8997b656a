"""Test runs of DeepEval (of 2.x to 4.x), as `DEEPEVAL_RESULTS_FOLDER` keeps them.

Checked on what 4.3.1 wrote there, and on what `evaluate` returns.

Each metric becomes a run, with its judge (`evaluationModel`) in the signature. Metrics
that ended in an error, or have no score, stay missing with what DeepEval says.

A text is `actualOutput`, of a conversation the last turn of the assistant; a prompt is
`input`. Whether less is better is read from thresholds: a metric that passes below its
threshold, or fails above it, is better the lower.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.contrib.tool_results.readers._bundle import Bundle
from scoring.contrib.tool_results.readers._found import (
    Found,
    Number,
    Sample,
    Scored,
    items,
    keys,
    mapping,
    number,
    quoted,
    said_in,
    signed,
    texts,
)
from scoring.runs.score_lines import as_word

TITLE = "DeepEval"
FILES = "the test run, in JSON"
TOOL = "deepeval"
CASES = ("testCases", "test_cases", "test_results", "conversationalTestCases")


def read(bundle: Bundle) -> Found | None:
    found = Found(TOOL)
    theirs = False
    for name in bundle.ending(".json"):
        if bundle.is_lines(name):
            continue
        run = mapping(bundle.value(name))
        run = mapping(run.get("testRunData")) or run
        cases = [mapping(one) for field in CASES for one in items(run.get(field))]
        if any(_metrics(case) for case in cases):
            theirs = True
            found.add(_scored(cases, run.get("deepevalVersion")))
    return found if theirs else None


def _get(given: Mapping[str, Any], camel: str, snake: str) -> Any:
    return given.get(camel, given.get(snake))


def _metrics(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(one) for one in items(_get(case, "metricsData", "metrics_data"))]


def _scored(cases: list[Mapping[str, Any]], version: object) -> Iterator[Scored]:
    lower = _lower(cases)
    for at, case in enumerate(cases, start=1):
        sample = _sample(case, at)
        for metric in _metrics(case):
            name, got = str(metric.get("name")), _number(metric)
            judge = _get(metric, "evaluationModel", "evaluation_model")
            yield Scored(
                sample=sample,
                metric=as_word(name),
                signature=signed({"judge": judge, "deepeval": version}),
                output=as_word(name).lower(),
                value=got.value,
                reason=got.reason,
                lower_is_better=lower.get(name),
            )


def _number(metric: Mapping[str, Any]) -> Number:
    """Where there is an error, a score beside it is none of the text's."""
    if error := metric.get("error"):
        return Number(None, f"DeepEval reports an error: {quoted(error)}")
    return number(metric.get("score"))


def _sample(case: Mapping[str, Any], at: int) -> Sample:
    more = mapping(_get(case, "additionalMetadata", "metadata"))
    said = [one for one in items(case.get("turns")) if mapping(one).get("role")]
    last = [one for one in said if mapping(one).get("role") == "assistant"][-1:]
    prompt = case.get("input")
    return Sample(
        at=f"test case {at} ({case.get('name')})",
        keys=keys([more.get("key"), more.get("id"), case.get("name")]),
        texts=texts(
            [_get(case, "actualOutput", "actual_output"), said_in(last, "assistant")]
        ),
        prompt=prompt if isinstance(prompt, str) else "",
    )


def _lower(cases: list[Mapping[str, Any]]) -> dict[str, bool]:
    """Metrics whose verdicts show which way is better."""
    votes: dict[str, set[bool]] = {}
    for metric in (one for case in cases for one in _metrics(case)):
        score, limit = metric.get("score"), metric.get("threshold")
        passed = metric.get("success")
        if not isinstance(passed, bool) or metric.get("error"):
            continue
        if not isinstance(score, int | float) or not isinstance(limit, int | float):
            continue
        if score != limit:
            votes.setdefault(str(metric.get("name")), set()).add(
                passed == (score < limit)
            )
    return {name: found.pop() for name, found in votes.items() if len(found) == 1}
