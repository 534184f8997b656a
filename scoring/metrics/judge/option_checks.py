"""Which options fit a model on this machine, and which one behind an address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scoring.endpoints import configuration
from scoring.endpoints.configuration import MOST_SAMPLES, PREFIX
from scoring.errors import OptionError


def check(options: Any, usual: Any) -> None:
    """Raise OptionError where options of an LLM judge do not fit its kind of model.

    `usual` has the defaults. Opens no file.
    """
    foreign: tuple[str, ...]
    if options.model.startswith(PREFIX):
        configuration.split_name(options.model)
        foreign, where = ("chat", "dtype"), "a model behind an address"
    else:
        foreign, where = ("mode", "samples", "scheme"), "a model on this machine"
    check_left_out(options, usual, foreign, where)
    if options.mode == "spans":
        left_out = ("steps", "examples")
        check_left_out(options, usual, left_out, "a judge that marks errors")
    else:
        check_left_out(options, usual, ("scheme",), "a judge that marks no errors")
    if not 2 <= options.samples <= MOST_SAMPLES:
        raise OptionError(
            f"samples={options.samples}: expected a whole number from 2 to"
            f" {MOST_SAMPLES}"
        )


def check_left_out(
    options: Any,
    usual: Any,
    names: Iterable[str],
    where: str = "a model behind an address",
) -> None:
    """Raise OptionError where one of these options is set, which `where` has not."""
    for name in names:
        value = getattr(options, name)
        if value != getattr(usual, name):
            raise OptionError(
                f"{name}={str(value)[:100]}: {where} does not have this option: leave"
                " it out, or choose another model"
            )
