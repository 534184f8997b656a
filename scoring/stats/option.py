"""What may be chosen of an analysis, as fields of a dataclass."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

Lists = Literal["aspects", "coefficients", "labels", "outputs", "questions", "systems"]


def option(
    default: Any,
    label: str,
    *,
    of: Lists | None = None,
    none: str | None = None,
    choices: tuple[str, ...] | tuple[tuple[str, str], ...] | None = None,
    min: int | None = None,
    max: int | None = None,
    help: str | None = None,
) -> Any:
    """A field of an Options dataclass, with what a form shows of it.

    Args:
        default: Of the type of the field. A tuple means that several may be chosen.
        label: Its name in the form.
        of: The list of the study that it is chosen from.
        none: What no choice means, where one of the list may be chosen.
        choices: Values, and what they are called, where there is no list.
        min, max: Of a number.
        help: Shown below it.
    """
    facts = {
        "label": label,
        "from": of,
        "none": none,
        "choices": choices,
        "min": min,
        "max": max,
        "help": help,
    }
    known = {name: fact for name, fact in facts.items() if fact is not None}
    return field(default=default, metadata=known)
