"""Results in the format of Every Eval Ever, schema 0.3.0. Pure.

https://github.com/evaleval/every_eval_ever: a file for each system, with what people
and metrics gave it, and one for each metric, with how far it agrees with people. Each
number has its interval.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from scoring.publishing.facts import Aspect, Facts, Output, System
from scoring.publishing.markdown import cut
from scoring.stats.estimates import Estimate

VERSION = "0.3.0"
FOLDER = "every_eval_ever/data"
CONFIDENCE = 0.95
UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}
SPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # of addresses, RFC 4122


def files(facts: Facts) -> dict[str, str]:
    """Each file by its name below the data set's folder."""
    found = {}
    for kind, name, model, results in _records(facts):
        if results:
            record = _record(facts, f"{kind}/{name}", model, results)
            found[_path(facts, kind, name)] = _json(record)
    return found


def _records(facts: Facts) -> Iterator[tuple[str, str, Any, list[Any]]]:
    for system in facts.systems:
        yield "systems", system.name, _model(system), list(_of_system(facts, system))
    for output in facts.outputs:
        name = f"{output.metric}:{output.key}:{output.id[:10]}"
        yield "metrics", name, _judge(output), list(_of_output(facts, output))


def _json(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _path(facts: Facts, kind: str, name: str) -> str:
    """Names of others are no paths: letters and digits of them, and a code."""
    short = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] or "unnamed"
    code = uuid.uuid5(SPACE, f"{facts.name}/{kind}/{name}")
    return f"{FOLDER}/{facts.name}/{kind}/{short}/{code}.json"


def _record(
    facts: Facts, about: str, model: dict[str, Any], results: Sequence[Any]
) -> dict[str, Any]:
    made = str(int(datetime.fromisoformat(facts.made_at).timestamp()))
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{facts.name}/{about}/{made}",
        "retrieved_timestamp": made,
        "source_metadata": {
            "source_name": facts.heading,
            "source_type": "evaluation_run",
            "source_organization_name": facts.published.affiliation or "unknown",
            "evaluator_relationship": "other",
            "additional_details": {"simulated": str(facts.simulated).lower()},
        },
        "eval_library": {"name": "EvalApp", "version": facts.version},
        "model_info": model,
        "evaluation_results": results,
    }


def _model(system: System) -> dict[str, Any]:
    name = system.model or system.name
    developer = {"developer": name.partition("/")[0]} if "/" in name else {}
    return {
        "name": system.name,
        "id": name,
        **developer,
        "additional_details": {**UNKNOWN, "kind": system.kind},
    }


def _judge(output: Output) -> dict[str, Any]:
    """A metric in place of a model: what is evaluated is how it judges."""
    return {
        "name": output.label,
        "id": output.judge or f"{output.metric}:{output.key}",
        "additional_details": {**UNKNOWN, "signature": cut(output.signature)},
    }


def _of_system(facts: Facts, system: System) -> Iterator[dict[str, Any]]:
    for aspect, mean in zip(facts.aspects, system.means, strict=True):
        if mean.value is not None:
            config = _config_of_people(facts, aspect)
            yield _result(facts, f"people: {aspect.key}", config, mean, system)
    for output, score in zip(facts.outputs, system.scores, strict=True):
        if score.value is not None:
            name = f"{output.metric}: {output.key} ({output.id[:10]})"
            yield _result(facts, name, _config_of(output), score, system)


def _of_output(facts: Facts, output: Output) -> Iterator[dict[str, Any]]:
    for aspect, found in zip(facts.aspects, output.agreement, strict=False):
        if found.value is not None:
            name = f"agreement with people: {aspect.key}"
            config = _config_of_agreement(facts, aspect)
            yield _result(facts, name, config, found, None)


def _result(
    facts: Facts,
    name: str,
    config: dict[str, Any],
    found: Estimate,
    system: System | None,
) -> dict[str, Any]:
    sampled = {"generation_config": _sampling(system)} if system else {}
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": {"dataset_name": facts.name, "source_type": "other"},
        "metric_config": config,
        "score_details": {"score": found.value, "uncertainty": _uncertainty(found)},
        **sampled,
    }


def _sampling(system: System) -> dict[str, Any]:
    given = {"top_p": system.top_p, "top_k": system.top_k}
    return {"generation_args": {k: v for k, v in given.items() if v is not None}}


def _uncertainty(found: Estimate) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if found.n is not None:
        told["num_samples"] = found.n
    if found.low is not None and found.high is not None:
        told["confidence_interval"] = {
            "lower": found.low,
            "upper": found.high,
            "confidence_level": CONFIDENCE,
            "method": found.signature,
        }
    return told


# What the numbers are -----------------------------------------------------------------


def _config_of_people(facts: Facts, aspect: Aspect) -> dict[str, Any]:
    raters = "simulated raters" if facts.simulated else "people"
    return {
        "evaluation_description": f"Mean rating by {raters}: {aspect.question}",
        "metric_id": f"human_mean.{aspect.key}",
        "metric_name": aspect.title,
        "metric_kind": "human_mean_rating",
        "lower_is_better": not aspect.higher_is_better,
        "score_type": "continuous",
        "min_score": aspect.low,
        "max_score": aspect.high,
    }


def _config_of(output: Output) -> dict[str, Any]:
    """Metrics do not tell the ends of their numbers to programs: none are claimed."""
    judged = {"llm_scoring": _scoring(output)} if output.judge else {}
    direction = "" if output.higher_is_better is not None else " Neither end is better."
    return {
        "evaluation_description": f"{output.label}: {output.source}.{direction}",
        "metric_id": f"{output.metric}.{output.key}",
        "metric_name": output.label,
        "metric_kind": output.metric,
        "metric_unit": output.unit,
        "lower_is_better": output.higher_is_better is False,
        "score_type": "continuous",
        "min_score": None,
        "max_score": None,
        **judged,
        "additional_details": {"signature": cut(output.signature)},
    }


def _scoring(output: Output) -> dict[str, Any]:
    judge = {"name": output.judge, "id": output.judge, "additional_details": UNKNOWN}
    asked = output.options.get("template") or output.options.get("rubric") or ""
    return {
        "judges": [{"model_info": judge}],
        "input_prompt": cut(str(asked)) or "As the signature of the metric says.",
    }


def _config_of_agreement(facts: Facts, aspect: Aspect) -> dict[str, Any]:
    return {
        "evaluation_description": (
            f"Agreement of a metric with mean ratings ({facts.coefficient}):"
            f" {aspect.question}"
        ),
        "metric_id": f"correlation_with_people.{aspect.key}",
        "metric_name": f"Agreement with people on {aspect.title}",
        "metric_kind": "correlation",
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": -1,
        "max_score": 1,
    }
