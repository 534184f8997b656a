"""Trials of judges as pages show them: each kind has its name, its facts, its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.drawing.sections import Section
from scoring.drawing.tables import Table
from scoring.endpoints import configuration
from scoring.judging import (
    anchor_sections,
    judge_votes,
    pair_sections,
    steps,
    stress_sections,
)
from scoring.models import JudgeTrial


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of trial is shown."""

    name: str
    facts: Callable[[JudgeTrial], list[tuple[str, str]]]  # what was chosen, in words
    # Parts of the page; for files all rows of a table, for the page those that it has
    # room for.
    sections: Callable[[JudgeTrial, bool], list[Section]]


KINDS: dict[str, Kind] = {
    JudgeTrial.Kind.PAIRS: Kind(
        "Comparison of pairs", pair_sections.facts, pair_sections.sections
    ),
    JudgeTrial.Kind.STRESS: Kind(
        "Stress lab", stress_sections.facts, stress_sections.sections
    ),
    JudgeTrial.Kind.ANCHORS: Kind(
        "Anchors", anchor_sections.facts, anchor_sections.sections
    ),
    # The page has a form for what was written.
    JudgeTrial.Kind.STEPS: Kind("Evaluation steps", steps.facts, lambda *_: []),
}


def judge(trial: JudgeTrial) -> str:
    """Who was asked: "tiny on lab"."""
    return judge_of(trial.options)


def judge_of(options: Mapping[str, Any]) -> str:
    """The same of options."""
    name, model = configuration.split_name(options["model"])
    return f"{model} on {name}"


def title(trial: JudgeTrial) -> str:
    return f"{KINDS[trial.kind].name}: {judge(trial)}"


def sections(trial: JudgeTrial) -> list[Section]:
    """What the page of a trial shows; nothing before there is a result."""
    return KINDS[trial.kind].sections(trial, False) if trial.result else []


def tables(trial: JudgeTrial) -> dict[str, Table]:
    """All tables of the page with all their rows, by slug."""
    if not trial.result:
        return {}
    return {
        key: table
        for section in KINDS[trial.kind].sections(trial, True)
        for key, table in section.tables.items()
    }


def voter(trial: JudgeTrial) -> str:
    """The name under which its verdicts stand beside people's votes, or ""."""
    is_voter = trial.kind == JudgeTrial.Kind.PAIRS and trial.result
    return judge_votes.name(trial) if is_voter else ""
