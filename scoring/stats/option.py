"""What may be chosen of an analysis, as fields of a dataclass."""

from __future__ import annotations

from typing import Any

from scoring.option_fields import Lists, OptionField, declared


def option(
    default: Any,
    label: str,
    *,
    of: Lists = "",
    none: str = "",
    choices: tuple[str, ...] | tuple[tuple[str, str], ...] = (),
    min: int | None = None,
    max: int | None = None,
    help: str = "",
) -> Any:
    """A field of an Options dataclass, with what a form shows of it.

    Args:
        default: Of the type of the field. A tuple means that several may be chosen.
        label: Its name in the form.
        of: The list of the study that it is chosen from.
        none: What no choice means, where one of the list may be chosen.
        choices: Values, or pairs of a value and what it is called.
        min: The least that a number may be.
        max: The most that a number may be.
        help: Shown below it.
    """
    pairs = [(one, one) if isinstance(one, str) else one for one in choices]
    return declared(
        OptionField(
            default,
            help,
            choices=tuple(value for value, _ in pairs),
            titles=tuple(title for _, title in pairs),
            label=label,
            of=of,
            none=none,
            min=min,
            max=max,
        )
    )


def fixed(default: Any) -> Any:
    """A field that an analysis leaves nobody to choose."""
    return declared(OptionField(default, fixed=True))
