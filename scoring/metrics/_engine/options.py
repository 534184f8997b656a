"""Options of a metric: how a file declares them, and how text becomes their values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation import storable
from scoring.errors import OptionError
from scoring.option_fields import (
    Fill,
    ModelKind,
    Names,
    OptionField,
    declared,
    option_fields,
)


@dataclasses.dataclass(frozen=True)
class NoOptions:
    """For metrics that have nothing to choose."""


def option(
    default: Any,
    help: str,
    choices: Sequence[str] = (),
    path: Names = "",
    fill: Fill = "",
    *,
    label: str = "",
    titles: Sequence[str] = (),
    takes: Sequence[ModelKind] = (),
    typed: str = "",
    late: bool = False,
    hidden: bool = False,
    network: bool = False,
) -> Any:
    """A field of an Options dataclass, with what a form or --help shows of it.

    `path` marks a value that names a model or a file. Code that takes options from
    strangers must restrict it: the metric opens whatever it is given. `takes` says
    which kinds of model fit, so that pages offer only these, and `typed` how one is
    named on a command line. `fill` marks a value that a study brings along: what its
    aspects ask, or its own evaluators. `label` and `titles` name the option and its
    choices in words. `late` marks an option of a metric that has scored before, and
    `hidden` one that forms show only where a judge over the network is set up;
    `network` one whose model may be behind an address.
    """
    facts = OptionField(
        default,
        help,
        tuple(choices),
        titles=tuple(titles),
        path=path,
        takes=tuple(takes),
        typed=typed,
        fill=fill,
        label=label,
        late=late,
        hidden=hidden,
        network=network,
    )
    return declared(facts)


def checked(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as their types want them.

    Raises:
        OptionError: If one is unknown or its value is not allowed.
    """
    fields = {field.name: field for field in option_fields(kind)}
    if unknown := sorted(set(options) - set(fields)):
        known = ", ".join(sorted(fields)) or "none"
        raise OptionError(f"unknown option {', '.join(unknown)}; there are: {known}")
    return {name: _converted(fields[name], value) for name, value in options.items()}


def _converted(field: OptionField, value: Any) -> Any:
    """Turn the text of a form or a command line into the option's type."""
    name, choices = field.name, field.choices
    if isinstance(value, str) and (said := storable.problem(value)):
        raise OptionError(f"{name} {said}: delete it")
    try:
        found = _CONVERTERS[field.type](value)
    except (KeyError, OverflowError, TypeError, ValueError):
        expected = {bool: "true or false", int: "a whole number", float: "a number"}
        raise OptionError(
            f"{name}={str(value)[:100]}: expected {expected.get(field.type, 'text')}"
        ) from None
    if choices and found not in choices:
        raise OptionError(
            f"{name}={str(value)[:100]}: expected one of {', '.join(choices)}"
        )
    return found


def _boolean(value: Any) -> bool:
    return {"true": True, "1": True, "false": False, "0": False}[str(value).lower()]


def _integer(value: Any) -> int:
    if isinstance(value, bool) or int(value) != float(value):
        raise ValueError
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not math.isfinite(float(value)):
        raise ValueError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str | Path):
        raise TypeError
    return str(value).strip()


_CONVERTERS: dict[type, Callable[[Any], Any]] = {
    bool: _boolean,
    int: _integer,
    float: _number,
    str: _text,
}
