"""Every Eval Ever: the shared format of evaluation results (schemas 0.2.x and 0.3.x).

- `ID_samples.jsonl` (instance level): scores of texts. Each metric becomes a run.
- `ID.json` (aggregate): numbers of whole systems, with their confidence intervals. The
  system has the name of the model.
- A zip file with both: samples then get the metric, its direction and its judges.

A text is `output.raw`, of a conversation the assistant's last message; a prompt is
`input.raw`. A sample with an `error` stays missing, whatever its score says, and so
does -1 of a metric that has an unknown level. Its converter from lm-evaluation-harness
writes 0 where a metric has no number of one sample (perplexity, BLEU): that stays
missing too. Checked on what 0.3.0 wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scoring.contrib.tool_results.readers._bundle import Bundle
from scoring.contrib.tool_results.readers._found import (
    Found,
    Number,
    Sample,
    Scored,
    Total,
    check_size,
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

TITLE = "Every Eval Ever"
FILES = "the aggregate JSON, …_samples.jsonl, or a zip file with both"
TOOL = "every_eval_ever"
UNKNOWN = -1  # of a metric whose levels have an unknown one

NAMES = ("evaluation_result_id", "evaluation_name")  # of a result, the surest first


class Config(NamedTuple):
    """How numbers of one kind were made."""

    metric: str = ""
    judges: str = ""
    lower_is_better: bool | None = None
    has_unknown: bool = False  # -1 is no number of this metric


class Log(NamedTuple):
    """The little of an aggregate that is kept: an upload may have thousands."""

    library: str = ""
    schema: object = None
    # By field and name of a result; None: several results have that name.
    configs: Mapping[tuple[str, str], Config | None] = {}
    totals: Sequence[Total] = ()


Logs = dict[str, Log]  # by evaluation_id


def read(bundle: Bundle) -> Found | None:
    logs: Logs = {}
    for name in bundle.ending(".json"):
        value = {} if bundle.is_lines(name) else mapping(bundle.value(name))
        if {"schema_version", "evaluation_results", "model_info"} <= set(value):
            logs[str(value.get("evaluation_id"))] = _log(value)
            check_size(0, sum(len(log.totals) for log in logs.values()))
    samples = [
        name for name in bundle.ending(".jsonl") if _is_sample(bundle.head(name))
    ]
    if not logs and not samples:
        return None
    found = Found(TOOL)
    for name in samples:
        found.add(_scored(bundle, name, logs))
    for log in logs.values():
        found.add(log.totals)
    return found


def _is_sample(value: object) -> bool:
    return {"schema_version", "sample_id", "evaluation"} <= set(mapping(value))


def _log(value: Mapping[str, Any]) -> Log:
    library = mapping(value.get("eval_library"))
    named = (str(library.get(k)) for k in ("name", "version") if library.get(k))
    model = mapping(value.get("model_info"))
    system = str(model.get("name") or model.get("id") or "model")
    configs: dict[tuple[str, str], Config | None] = {}
    log = Log(" ".join(named), value.get("schema_version"), configs)
    totals: list[Total] = []
    for result in map(mapping, items(value.get("evaluation_results"))):
        config = _config(mapping(result.get("metric_config")))
        totals.append(_total(system, result, config, log))
        check_size(0, len(totals))
        for field in NAMES:
            if isinstance(name := result.get(field), str) and name:
                configs[field, name] = None if (field, name) in configs else config
    return log._replace(totals=totals)


def _config(given: Mapping[str, Any]) -> Config:
    judged = mapping(given.get("llm_scoring"))
    models = (
        mapping(mapping(j).get("model_info")) for j in items(judged.get("judges"))
    )
    judges = [str(model.get("id") or model.get("name") or "") for model in models]
    lower = given.get("lower_is_better")
    return Config(
        str(given.get("metric_id") or given.get("metric_name") or ""),
        ", ".join(filter(None, judges)),
        lower if isinstance(lower, bool) else None,
        given.get("has_unknown_level") is True,
    )


def _config_of(row: Mapping[str, Any], log: Log) -> Config:
    """That of the result of the aggregate that a sample counts towards."""
    for field in NAMES:
        if found := log.configs.get((field, str(row.get(field) or ""))):
            return found
    return Config()


def _scored(bundle: Bundle, name: str, logs: Logs) -> Iterator[Scored]:
    for at, value in bundle.rows(name):
        row = mapping(value)
        log = logs.get(str(row.get("evaluation_id")), Log())
        config = _config_of(row, log)
        evaluation = str(row.get("evaluation_name") or "score")
        got = _number(mapping(row.get("evaluation")).get("score"), config)
        if error := row.get("error"):
            got = Number(None, f"the sample has an error: {quoted(error)}")
        elif _is_filled(row):
            got = Number(None, "the metric has no numbers for single samples")
        yield Scored(
            sample=_sample(row, at),
            metric=as_word(config.metric or evaluation),
            signature=_signature(log, config, evaluation),
            output=as_word(evaluation),
            value=got.value,
            reason=got.reason,
            lower_is_better=config.lower_is_better,
        )


def _is_filled(row: Mapping[str, Any]) -> bool:
    """Whether the converter had no number and wrote 0."""
    given = mapping(row.get("metadata")).get("lm_eval_metrics")
    if not isinstance(given, str):
        return False
    try:
        values = mapping(json.loads(given)).values()
    except (ValueError, RecursionError):
        return False
    return bool(values) and all(number(value).value is None for value in values)


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


def _total(system: str, result: Mapping[str, Any], config: Config, log: Log) -> Total:
    details = mapping(result.get("score_details"))
    evaluation = str(result.get("evaluation_name") or "score")
    got = _number(details.get("score"), config)
    return Total(
        system=system,
        metric=as_word(config.metric or evaluation),
        signature=_signature(log, config, evaluation),
        output=as_word(evaluation),
        value=got.value,
        reason=got.reason,
        lower_is_better=config.lower_is_better,
        interval=_interval(mapping(details.get("uncertainty"))),
    )


def _number(score: object, config: Config) -> Number:
    if config.has_unknown and score == UNKNOWN:
        return Number(None, "the level is unknown (-1)")
    return number(score)


def _interval(uncertainty: Mapping[str, Any]) -> tuple[float, float] | None:
    ends = mapping(uncertainty.get("confidence_interval"))
    low, high = number(ends.get("lower")).value, number(ends.get("upper")).value
    if low is None or high is None or low > high:
        return None
    return low, high


def _signature(log: Log, config: Config, evaluation: str) -> str:
    return signed(
        {
            "evaluation": evaluation,
            "judge": config.judges,
            "library": log.library,
            "schema": log.schema,
        }
    )
