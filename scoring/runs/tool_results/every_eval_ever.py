"""Every Eval Ever: the shared format of evaluation results (schema 0.2.x).

- `ID_samples.jsonl` (instance level): scores of texts. Each metric becomes a run.
- `ID.json` (aggregate): numbers of whole systems, with their confidence intervals. The
  system has the name of the model.
- A zip file with both: samples then get the metric, its direction and its judges.

A text is `output.raw`, of a conversation the assistant's last message; a prompt is
`input.raw`. A sample with an `error` stays missing, whatever its score says, and so
does -1 of a metric that has an unknown level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.runs.tool_results._bundle import Bundle
from scoring.runs.tool_results._found import (
    Found,
    Number,
    Sample,
    Scored,
    Total,
    items,
    keys,
    mapping,
    number,
    quoted,
    said_in,
    signed,
    texts,
    word,
)

TITLE = "Every Eval Ever"
FILES = "the aggregate JSON, …_samples.jsonl, or a zip file with both"
TOOL = "every_eval_ever"
UNKNOWN = -1  # of a metric whose levels have an unknown one

Logs = dict[str, Mapping[str, Any]]  # by evaluation_id


def read(bundle: Bundle) -> Found | None:
    logs: Logs = {}
    for name in bundle.ending(".json"):
        value = {} if bundle.is_lines(name) else mapping(bundle.value(name))
        if {"schema_version", "evaluation_results", "model_info"} <= set(value):
            logs[str(value.get("evaluation_id"))] = value
    samples = [
        name for name in bundle.ending(".jsonl") if _is_sample(bundle.head(name))
    ]
    if not logs and not samples:
        return None
    found = Found(TOOL)
    for name in samples:
        found.scored += _scored(bundle, name, logs)
    for log in logs.values():
        found.totals += _totals(log)
    return found


def _is_sample(value: object) -> bool:
    return {"schema_version", "sample_id", "evaluation"} <= set(mapping(value))


def _scored(bundle: Bundle, name: str, logs: Logs) -> Iterator[Scored]:
    for at, value in bundle.rows(name):
        row = mapping(value)
        log = logs.get(str(row.get("evaluation_id")), {})
        result = _result_of(row, log)
        config = mapping(result.get("metric_config"))
        evaluation = str(row.get("evaluation_name") or "score")
        got = _number(mapping(row.get("evaluation")).get("score"), config)
        if error := row.get("error"):
            got = Number(None, f"the sample has an error: {quoted(error)}")
        yield Scored(
            sample=_sample(row, at),
            metric=word(_metric(config) or evaluation),
            signature=_signature(log, config, evaluation),
            output=word(evaluation),
            value=got.value,
            reason=got.reason,
            lower_is_better=_lower(config),
        )


def _result_of(row: Mapping[str, Any], log: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of the aggregate that a sample counts towards."""
    results = [mapping(one) for one in items(log.get("evaluation_results"))]
    for field in ("evaluation_result_id", "evaluation_name"):
        fits = [
            one for one in results if row.get(field) and one.get(field) == row[field]
        ]
        if len(fits) == 1:
            return fits[0]
    return {}


def _sample(row: Mapping[str, Any], at: int) -> Sample:
    given, output = mapping(row.get("input")), mapping(row.get("output"))
    said = [
        one
        for one in items(row.get("messages"))
        if mapping(one).get("role") == "assistant"
    ]
    raw = given.get("raw")
    return Sample(
        at=f"line {at}, sample {row.get('sample_id')}",
        keys=keys([row.get("sample_id")]),
        texts=texts([*items(output.get("raw"))[:1], said_in(said[-1:], "assistant")]),
        prompt=raw if isinstance(raw, str) else "",
        system=str(row.get("model_id") or ""),
    )


def _totals(log: Mapping[str, Any]) -> Iterator[Total]:
    model = mapping(log.get("model_info"))
    system = str(model.get("name") or model.get("id") or "model")
    for result in map(mapping, items(log.get("evaluation_results"))):
        config = mapping(result.get("metric_config"))
        details = mapping(result.get("score_details"))
        evaluation = str(result.get("evaluation_name") or "score")
        got = _number(details.get("score"), config)
        yield Total(
            system=system,
            metric=word(_metric(config) or evaluation),
            signature=_signature(log, config, evaluation),
            output=word(evaluation),
            value=got.value,
            reason=got.reason,
            lower_is_better=_lower(config),
            interval=_interval(mapping(details.get("uncertainty"))),
        )


def _metric(config: Mapping[str, Any]) -> str:
    return str(config.get("metric_id") or config.get("metric_name") or "")


def _number(score: object, config: Mapping[str, Any]) -> Number:
    if config.get("has_unknown_level") is True and score == UNKNOWN:
        return Number(None, "the level is unknown (-1)")
    return number(score)


def _lower(config: Mapping[str, Any]) -> bool | None:
    found = config.get("lower_is_better")
    return found if isinstance(found, bool) else None


def _interval(uncertainty: Mapping[str, Any]) -> tuple[float, float] | None:
    ends = mapping(uncertainty.get("confidence_interval"))
    low, high = number(ends.get("lower")).value, number(ends.get("upper")).value
    if low is None or high is None or low > high:
        return None
    return low, high


def _signature(
    log: Mapping[str, Any], config: Mapping[str, Any], evaluation: str
) -> str:
    library = mapping(log.get("eval_library"))
    judged = mapping(config.get("llm_scoring"))
    judges = [
        str(model.get("id") or model.get("name") or "")
        for model in (
            mapping(mapping(j).get("model_info")) for j in items(judged.get("judges"))
        )
    ]
    return signed(
        {
            "evaluation": evaluation,
            "judge": ", ".join(filter(None, judges)),
            "library": " ".join(
                str(library.get(k)) for k in ("name", "version") if library.get(k)
            ),
            "schema": log.get("schema_version"),
        }
    )
