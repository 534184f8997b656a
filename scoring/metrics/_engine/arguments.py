"""A metric's options as arguments of a command."""

from __future__ import annotations

import argparse
import dataclasses
import typing

from scoring.metrics._base import Metric, SystemMetric


def add_options(
    parser: argparse.ArgumentParser, kind: type[Metric] | type[SystemMetric]
) -> None:
    """One argument for each option. Its value stays text, or None where not given.

    The metric checks values and says in one sentence what is wrong with them.
    """
    types = typing.get_type_hints(kind.Options)
    for field in dataclasses.fields(kind.Options):
        kind_of = types[field.name]
        choices = field.metadata.get("choices", ())
        choices = ("true", "false") if kind_of is bool else choices
        default = str(field.default).lower() if choices else repr(field.default)
        explained = field.metadata.get("help", "").replace("%", "%%")
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=field.name,
            metavar=f"{{{','.join(choices)}}}" if choices else kind_of.__name__.upper(),
            help=f"{explained} (default {default.replace('%', '%%')})",
        )


def made(
    kind: type[Metric] | type[SystemMetric], given: dict[str, typing.Any]
) -> Metric | SystemMetric:
    """The metric with the options that were given.

    Raises:
        OptionError: If a value will not do, or the options do not go together.
    """
    options = {field.name for field in dataclasses.fields(kind.Options)}
    metric = kind(
        **{
            name: value
            for name, value in given.items()
            if name in options and value is not None
        }
    )
    metric.check()
    return metric
