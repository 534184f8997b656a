"""A metric's options as arguments of a command."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from scoring.metrics._engine.base import Metric, OptionError, SystemMetric
from scoring.option_fields import OptionField, option_fields


def add_options(
    parser: argparse.ArgumentParser, kind: type[Metric] | type[SystemMetric]
) -> None:
    """One argument for each option. Its value stays text, or None where not given.

    The metric checks values and says in one sentence what is wrong with them.
    """
    for field in option_fields(kind.Options):
        kind_of = field.type.__name__
        choices = ("true", "false") if kind_of == "bool" else field.choices
        default = str(field.default).lower() if choices else repr(field.default)
        explained = field.told.replace("%", "%%")
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=field.name,
            metavar=f"{{{','.join(choices)}}}" if choices else kind_of.upper(),
            help=f"{explained} (default {default.replace('%', '%%')})",
        )


def made(
    kind: type[Metric] | type[SystemMetric], given: Mapping[str, object]
) -> Metric | SystemMetric:
    """The metric with the options that were given.

    Raises:
        OptionError: If a value will not do, or the options do not go together.
    """
    fields = {field.name: field for field in option_fields(kind.Options)}
    metric = kind(
        **{
            name: _content(fields[name], value)
            for name, value in given.items()
            if name in fields and value is not None
        }
    )
    metric.check()
    return metric


def _content(field: OptionField, value: object) -> object:
    """What a file says, where a text is given as @FILE."""
    is_text = field.type is str and not field.path and not field.choices
    if not is_text or not isinstance(value, str) or not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        said = getattr(error, "strerror", None) or "not a file with text in UTF-8"
        raise OptionError(f"{field.name}={value[:100]}: {said}") from None
