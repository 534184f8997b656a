"""What may be chosen of a metric, a training or an analysis, each listed the same way.

Options are frozen dataclasses. What a form or --help shows of a field is kept in its
`metadata`, which is read here alone: everybody else asks `option_fields(kind)`.
"""

from __future__ import annotations

import dataclasses
import typing
from functools import cache
from typing import Any, Literal

KEY = "option"  # in the metadata of a field

Fill = Literal["", "aspects", "evaluators", "rated", "scheme"]
Names = Literal["", "model", "file"]
ModelKind = Literal["causal", "encoder", "infill", "instruct", "trained"]
Lists = Literal[
    "",
    "aspects",
    "coefficients",
    "judges",
    "labels",
    "outputs",
    "questions",
    "systems",
]


@dataclasses.dataclass(frozen=True, slots=True)
class OptionField:
    """One option: name, type and default, and what is shown of it."""

    default: Any = None
    help: str = ""
    choices: tuple[str, ...] = ()  # values; empty: any value of the type
    titles: tuple[str, ...] = ()  # of the choices; empty: they are called by themselves
    path: Names = ""  # whether the value names a model or a file
    takes: tuple[ModelKind, ...] = ()  # kinds of model that fit, the best first
    typed: str = ""  # how a value is written where nothing can be picked from a list
    fill: Fill = ""  # what a study brings along for it
    label: str = ""  # its name in a form; empty: the name of the field
    of: Lists = ""  # the list of a study that it is chosen from
    none: str = ""  # what no choice means, where one of such a list may be chosen
    min: int | None = None
    max: int | None = None
    fixed: bool = False  # whether nobody may choose it
    # Whether it came when scores were stored already: its default changes no number,
    # and signatures leave it out, so that these scores stay valid.
    late: bool = False
    hidden: bool = False  # whether forms have it only for judges over the network
    network: bool = False  # whether the model may be one behind an address
    name: str = ""
    type: Any = str

    @property
    def told(self) -> str:
        """Its help for people who type the value: on a command line, or for the API."""
        return f"{self.help}: {self.typed}" if self.typed else self.help

    @property
    def title(self) -> str:
        return self.label or self.name.replace("_", " ").capitalize()


def declared(facts: OptionField) -> Any:
    """A field of an Options dataclass. Its name and type are those of the field."""
    return dataclasses.field(default=facts.default, metadata={KEY: facts})


@cache
def option_fields(kind: type) -> tuple[OptionField, ...]:
    """The options of an Options dataclass, in its order."""
    types = typing.get_type_hints(kind)
    return tuple(
        dataclasses.replace(
            field.metadata.get(KEY, OptionField()),
            default=field.default,
            name=field.name,
            type=types[field.name],
        )
        for field in dataclasses.fields(kind)
    )
