"""Options of a run by their titles. No Django, no query.

Values that are paths come as `options.shown` leaves them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring import metrics
from scoring.endpoints import configuration
from scoring.metrics import OptionField, UnknownMetric

BUNDLED = "bundled:"
NOTE = " (bundled)"
NOT_SET = "not set"


def in_words(metric: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Options by their titles, with the titles of choices, as pages show them.

    Those that the metric does not have (any more) keep their names.
    """
    return _titled(fields_of(metric), options)


def in_words_of(kind: type | None, options: Mapping[str, Any]) -> dict[str, str]:
    """The same for an Options dataclass, such as that of a training."""
    fields = metrics.option_fields(kind) if kind else ()
    return _titled({field.name: field for field in fields}, options)


def _titled(
    fields: Mapping[str, OptionField], options: Mapping[str, Any]
) -> dict[str, str]:
    """In the order of the fields, those without one last.

    Options come out of a database in any order: PostgreSQL sorts the keys of JSON.
    """
    known = [name for name in fields if name in options]
    others = sorted(name for name in options if name not in fields)
    return {
        fields[name].title if name in fields else name: _in_words(
            fields.get(name), options[name]
        )
        for name in [*known, *others]
    }


def fields_of(metric: str) -> dict[str, OptionField]:
    """None for a metric whose file is gone."""
    try:
        return {f.name: f for f in metrics.option_fields(metrics.get(metric).Options)}
    except UnknownMetric:
        return {}


def _in_words(field: OptionField | None, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field and field.titles and value in field.choices:
        return field.titles[field.choices.index(value)]
    text = NOT_SET if value in (None, "") else str(value)
    if text.startswith(configuration.PREFIX):
        return configuration.title(text)
    if text.startswith(BUNDLED):
        return text.removeprefix(BUNDLED) + NOTE
    return text.removeprefix(metrics.models.CHECKPOINT)
