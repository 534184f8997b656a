"""Options of a run as people read them. No query."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from scoring.endpoints import configuration
from scoring.scores import option_words
from scoring.scores.option_words import BUNDLED


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
    return option_words.in_words(metric, _all_shown(options))


def in_words_of(kind: type | None, options: Mapping[str, Any]) -> dict[str, str]:
    """The same for an Options dataclass, such as that of a training."""
    return option_words.in_words_of(kind, _all_shown(options))


def _all_shown(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: shown(value) for name, value in options.items()}


def completed(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """With the options that the metric got after these were chosen, as they come."""
    fields = option_words.fields_of(metric)
    late = {name: field.default for name, field in fields.items() if field.late}
    return {**late, **options}


def used(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Without those that change nothing: of a judge over the network where it is none,
    and the number of answers where only one is asked for."""
    fields = option_words.fields_of(metric)
    asks = str(options.get("model", "")).startswith(configuration.PREFIX)
    needed = {
        "mode",
        {"samples": "samples", "spans": "scheme"}.get(str(options.get("mode")), ""),
    }
    hidden = {name for name, field in fields.items() if field.hidden}
    needless = hidden - (needed if asks else set())
    if not options.get("examples"):
        needless.add("examples_seed")
    local = {"chat", "dtype"} & fields.keys() if asks and hidden else set()
    return {k: v for k, v in options.items() if k not in needless | local}


def unusual(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not as they come."""
    fields = option_words.fields_of(metric)
    return {
        name: value
        for name, value in options.items()
        if name not in fields or fields[name].default != value
    }
