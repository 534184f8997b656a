"""What quality control checks on pages of one kind alone, and how it says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from annotation.models import Policy, Study
from annotation.page_kinds.drawing import Units

# What a verdict keeps, and titles of the study's aspects by key.
Numbers = Mapping[str, Any]
Titles = Mapping[str, str]


class OwnCheck(NamedTuple):
    """A check that only pages of this kind have; made after the rule."""

    title: str  # what is wrong with a page that fails it
    setting: str = ""  # field of the policy that asks for it; empty: always made
    why_not_made: str = "The verdict kept no numbers for this check."


@dataclass(frozen=True)
class Settings:
    """Fields of a policy that matter to pages of this kind alone."""

    legend: str = ""
    fields: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # label, help
    # Of values that do not go together: what is wrong, by field.
    problems: Callable[[Mapping[str, Any]], dict[str, str]] = lambda values: {}


class HiddenCheck(NamedTuple):
    """What the hidden check catches and what it costs, for the page of settings."""

    template: str
    context: Mapping[str, object]


class Checks(Protocol):
    """What quality control asks of a kind, its answers aside."""

    @property
    def own(self) -> Mapping[str, OwnCheck]:
        """By name."""

    @property
    def settings(self) -> Settings: ...

    @property
    def failing(self) -> str:
        """What a careless worker does with a damaged text, beside rating it too high;
        empty: nothing else."""

    def n_compared(self, units: Units) -> int:
        """Texts that a damaged one is rated among, on a page to come."""

    def sentences(self, numbers: Numbers, titles: Titles) -> dict[str, str | None]:
        """What the rule or own checks saw, by name, in place of that of the rule.

        Empty where the numbers are not of such a page. None: not made.
        """

    def power(self, study: Study, policy: Policy) -> HiddenCheck | None:
        """Of a check that has a chance of its own; None where the rule is all."""


class RuleOnly:
    """Of pages on which the policy's rule compares ratings, and nothing else."""

    own: Mapping[str, OwnCheck] = {}
    settings = Settings()
    failing = ""

    def n_compared(self, units: Units) -> int:
        return len(units)

    def sentences(self, numbers: Numbers, titles: Titles) -> dict[str, str | None]:
        return {}

    def power(self, study: Study, policy: Policy) -> HiddenCheck | None:
        return None
