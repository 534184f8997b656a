"""What a study must have before an analysis is offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Facts(NamedTuple):
    """What decides it."""

    rated: bool  # single ratings
    judged: bool  # ratings, or means from a file
    systems: int
    human: bool  # a system is marked as people
    votes: bool  # of people, or of a judge
    negatives: bool
    scored: bool
    variants: bool  # one metric with more than one signature
    parts: bool  # a run that kept the scores of its evaluators
    corrected: bool  # people corrected a text
    marked: bool  # people marked errors in a text


class Missing(NamedTuple):
    """Why an analysis is not offered, and the page that changes it."""

    sentence: str
    verb: str
    url_name: str
    args: tuple[str, ...] = ()  # behind the study's name


class Need(NamedTuple):
    """Whether a study has enough, and what to say where it has not."""

    met: Callable[[Facts], bool]
    missing: Missing


RATINGS = Missing(
    "Needs ratings by people: open the study, or import a file with ratings.",
    "Set up the study",
    "study_setup",
)
JUDGED = Need(lambda facts: facts.judged, RATINGS)
