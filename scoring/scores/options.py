"""Options of a run as people read them. No query."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from scoring import metrics
from scoring.metrics import OptionField, UnknownMetric

BUNDLED = "bundled:"
NOTE = " (bundled)"
NOT_SET = "not set"


def shown(value: Any) -> Any:
    """An option as a page shows it: by its name in MODELS_DIR, not where that is."""
    inside = f"{settings.MODELS_DIR}/"
    return value.removeprefix(inside) if isinstance(value, str) else value


def named(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as others may read them: no folder of this server, only what lies there.

    The command line may name any path.
    """
    found = {name: shown(value) for name, value in options.items()}
    return {
        name: Path(value).name
        if isinstance(value, str) and value.startswith("/")
        else value
        for name, value in found.items()
    }


def bundled(*options: Mapping[str, object]) -> list[str]:
    """Names of the small models that ship with the app among options of runs."""
    values = (value for one in options for value in one.values())
    given = {value for value in values if isinstance(value, str)}
    return sorted(v.removeprefix(BUNDLED) for v in given if v.startswith(BUNDLED))


def in_words(metric: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Options by their titles, with the titles of choices, as pages show them.

    Those that the metric does not have (any more) keep their names.
    """
    return _titled(_fields(metric), options)


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


def completed(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """With the options that the metric got after these were chosen, as they come."""
    late = {name: f.default for name, f in _fields(metric).items() if f.late}
    return {**late, **options}


def used(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Without those that change nothing: of a judge over the network where it is none,
    and the number of answers where only one is asked for."""
    fields = _fields(metric)
    asks = str(options.get("model", "")).startswith(metrics.judge_endpoints.PREFIX)
    samples = asks and options.get("mode") == "samples"
    hidden = {name for name, field in fields.items() if field.hidden}
    needless = (
        hidden - ({"mode"} if asks else set()) - ({"samples"} if samples else set())
    )
    if not options.get("examples"):
        needless.add("examples_seed")
    local = {"chat", "dtype"} & fields.keys() if asks and hidden else set()
    return {k: v for k, v in options.items() if k not in needless | local}


def unusual(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not as they come."""
    fields = _fields(metric)
    return {
        name: value
        for name, value in options.items()
        if name not in fields or fields[name].default != value
    }


def _fields(metric: str) -> dict[str, OptionField]:
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
    text = NOT_SET if value in (None, "") else str(shown(value))
    if text.startswith(metrics.judge_endpoints.PREFIX):
        return metrics.judge_endpoints.title(text)
    if text.startswith(BUNDLED):
        return text.removeprefix(BUNDLED) + NOTE
    return text.removeprefix(metrics.models.CHECKPOINT)
