"""A metric's facts, as its page and the API tell them. Nothing is loaded."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.metrics import (
    Metric,
    MetricError,
    OptionField,
    SystemMetric,
    TrainedMetric,
    option_fields,
)

Kind = type[Metric] | type[SystemMetric]

TYPES = {str: "text", bool: "yes or no", int: "whole number", float: "number"}
PATHS = {"model": "model", "file": "file"}
NEEDS = {
    "prefix": "the prefix that each text continues",
    "label": "the attribute label that each text was written for",
    "source": "the source that each text answers",
    "references": "reference texts",
    "log-probabilities": "the log-probability of each text under its system",
    "corpus": "a corpus of human texts",
    "training": "training before it can score",
}
FILLS = {
    "aspects": "what the study asks people",
    "evaluators": "the study's own evaluators",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """Metrics that ask the same kind of question of the same things."""

    slug: str
    title: str
    about: str


EACH_TEXT = Family(
    "each-text",
    "Each text",
    "One number per text, to compare with the ratings of that text.",
)
REFERENCES = Family(
    "references",
    "Each text, with references",
    "How close each text is to texts that people wrote for the same prompt.",
)
SYSTEMS = Family(
    "systems",
    "Whole systems",
    "One number for all texts of a system, such as how varied they are.",
)
HUMAN_TEXTS = Family(
    "human-texts",
    "Whole systems, against human texts",
    "How far all texts of a system are from a corpus of human texts.",
)
FAMILIES = (EACH_TEXT, REFERENCES, SYSTEMS, HUMAN_TEXTS)


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, or lines to be shown as they are."""

    text: str = ""
    items: tuple[str, ...] = ()
    verbatim: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class OptionFacts:
    name: str
    type: str
    default: Any
    choices: tuple[str, ...]
    help: str
    filled: str  # what a study fills in where it is left empty; "" = nothing


def family(kind: Kind) -> Family:
    if issubclass(kind, SystemMetric):
        return HUMAN_TEXTS if "corpus" in kind.needs else SYSTEMS
    return REFERENCES if "references" in kind.needs | kind.uses else EACH_TEXT


def families(kinds: Mapping[str, Kind]) -> list[tuple[Family, list[str]]]:
    """Names of metrics by their titles in each family that has any."""
    found: dict[Family, list[str]] = {}
    for name in sorted(kinds, key=lambda name: kinds[name].title.casefold()):
        found.setdefault(family(kinds[name]), []).append(name)
    return [(one, found[one]) for one in FAMILIES if one in found]


def measures(kind: Kind) -> str:
    """One line of what its numbers say: the first of its class's docstring."""
    return inspect.cleandoc(kind.__doc__ or "").partition("\n")[0]


def definition(kind: Kind) -> list[Block]:
    """The docstring of the metric's file, or else of its class."""
    module = importlib.import_module(kind.__module__)
    text = inspect.cleandoc(module.__doc__ or kind.__doc__ or "")
    return [_block(part) for part in re.split(r"\n\s*\n", text) if part.strip()]


def _block(text: str) -> Block:
    if all(line.startswith("    ") for line in text.splitlines()):
        return Block(verbatim=textwrap.dedent(text).strip("\n"))
    first, *items = re.split(r"^- ", text, flags=re.MULTILINE)
    flat = [" ".join(part.split()) for part in (first, *items)]
    return Block(text=flat[0], items=tuple(flat[1:]))


def options(kind: Kind) -> list[OptionFacts]:
    return _options(kind.Options)


def training_options(kind: Kind) -> list[OptionFacts]:
    """Of its training; none where it needs none."""
    return _options(kind.TrainingOptions) if issubclass(kind, TrainedMetric) else []


def _options(of: type) -> list[OptionFacts]:
    return [
        OptionFacts(
            name=field.name,
            type=_type(field),
            default=field.default,
            choices=field.choices,
            help=field.told,
            filled=FILLS.get(field.fill, ""),
        )
        for field in option_fields(of)
    ]


def _type(option: OptionField) -> str:
    if option.choices:
        return "choice"
    return PATHS.get(option.path) or TYPES[option.type]


def needs(kind: Kind) -> list[str]:
    return [NEEDS.get(need, need) for need in sorted(kind.needs)]


def uses(kind: Kind) -> list[str]:
    """What it can run without, but gives worse results."""
    return [NEEDS.get(use, use) for use in sorted(kind.uses)]


def takes(kind: Kind, what: str) -> str:
    """Whether it "needs" that or only "uses" it; "" for neither."""
    if what in kind.needs:
        return "needs"
    return "uses" if what in kind.uses else ""


def outputs_vary(kind: Kind) -> bool:
    """Whether another value of some option gives other outputs."""
    usual = kind().outputs
    for option in option_fields(kind.Options):
        if option.fill == "aspects":
            return True
        for value in _others(option):
            try:
                if kind(**{option.name: value}).outputs != usual:
                    return True
            except (ValueError, MetricError, OSError):
                continue  # a value that will not do by itself
    return False


def _others(option: OptionField) -> Iterable[Any]:
    if option.path:
        return ["x"]
    if isinstance(option.default, bool):
        return [not option.default]
    return option.choices
