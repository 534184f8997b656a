"""What a study brings along for a metric: its own evaluators, and what its aspects ask.

A run keeps a copy in its options, so that a later change touches no scores.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from annotation.models import Aspect, Study
from scoring.models import EvaluatorTable


def filled(*, study: Study, kind: type, options: dict[str, Any]) -> dict[str, Any]:
    """The options with what the study brings along, where they leave it open.

    `kind` is the metric's class. What somebody has written is never replaced.
    """
    brought = {"aspects": aspects_json, "evaluators": tables_json}
    found = {
        field.name: brought[field.metadata["fill"]](study)
        for field in dataclasses.fields(kind.Options)
        if field.metadata.get("fill") and not str(options.get(field.name, "")).strip()
    }
    return {**options, **{name: text for name, text in found.items() if text}}


def aspects_json(study: Study) -> str:
    """What the study asks people, for a metric that asks the same. One query."""
    rows = [_asked(aspect, study) for aspect in study.aspects.all()]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def tables_json(study: Study) -> str:
    """The study's own evaluators by name, "" where it has none. One query."""
    tables = {table.name: contents(table) for table in study.evaluator_tables.all()}
    return json.dumps(tables, ensure_ascii=False) if tables else ""


def contents(table: EvaluatorTable) -> dict[str, list]:
    return {"labels": table.labels, "prompts": table.prompts, "words": table.words}


def _asked(aspect: Aspect, study: Study) -> dict[str, Any]:
    return {
        "key": aspect.key,
        "question": aspect.question_in_general,
        "low": study.scale_min,
        "high": study.scale_max,
    }
