"""A metric's options as arguments of a command."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from scoring.metrics._engine.base import Metric, SystemMetric
from scoring.option_fields import option_fields


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
    options = {field.name for field in option_fields(kind.Options)}
    metric = kind(
        **{
            name: value
            for name, value in given.items()
            if name in options and value is not None
        }
    )
    metric.check()
    return metric
