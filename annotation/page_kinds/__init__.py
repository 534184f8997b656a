"""The contract of a kind of page, and the kinds that there are.

Everything that differs between kinds is asked here: how pages are drawn, what stands on
them, what their answers say. `annotation/kinds/NAME/` holds all bits of one kind and
registers it when the app is loaded; no other room compares a kind with a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from annotation.models import Study
from annotation.models.kinds import KindFacts, register_facts
from annotation.page_kinds.answers import Answering, Answers
from annotation.page_kinds.checks import Checks
from annotation.page_kinds.content import Content
from annotation.page_kinds.counting import Counting
from annotation.page_kinds.drawing import Drawing, NewPages, Units
from annotation.page_kinds.listing import Listing
from annotation.page_kinds.matrix import Matrices
from annotation.page_kinds.practice import PracticeTask
from annotation.page_kinds.proposals import Proposals
from annotation.page_kinds.questions import Position, Scored
from annotation.page_kinds.review import Review
from annotation.page_kinds.scores import Scores
from annotation.page_kinds.seating import Seating
from annotation.page_kinds.setup import Option, OwnForm, Setup, TextFields
from annotation.page_kinds.simulation import Rater, SimulatedPage, Simulation
from annotation.page_kinds.tables import Measure, Tables
from annotation.page_kinds.workload import Load, Workload

__all__ = [
    "Answering",
    "Answers",
    "Checks",
    "Content",
    "Counting",
    "Drawing",
    "KindFacts",
    "KindWords",
    "Listing",
    "Load",
    "Matrices",
    "Measure",
    "NewPages",
    "Option",
    "OwnForm",
    "PageKind",
    "Position",
    "PracticeTask",
    "Proposals",
    "Review",
    "Rater",
    "Scored",
    "Scores",
    "Seating",
    "Setup",
    "SimulatedPage",
    "Simulation",
    "Tables",
    "TextFields",
    "Units",
    "Workload",
    "every",
    "get",
    "keys",
    "mark_scheme",
    "measures",
    "names",
    "of",
    "practice_of",
    "register",
    "scores_of",
]


class KindWords(NamedTuple):
    """What a kind asks of workers and gives to researchers, for pages."""

    title: str
    label: str  # in a list of choices
    does: str
    check: str
    gives: str
    page: str  # what one shows, in how the study is described when it is published


class PageKind(Protocol):
    """One kind of page. A study has pages of one kind, or of several in turn."""

    @property
    def key(self) -> str:
        """As stored with surveys and studies."""

    @property
    def facts(self) -> KindFacts: ...

    @property
    def words(self) -> KindWords: ...

    @property
    def setup(self) -> Setup: ...

    @property
    def drawing(self) -> Drawing: ...

    @property
    def workload(self) -> Workload: ...

    @property
    def listing(self) -> Listing: ...

    @property
    def simulation(self) -> Simulation: ...

    @property
    def matrices(self) -> Matrices: ...

    @property
    def checks(self) -> Checks: ...

    @property
    def counting(self) -> Counting: ...

    @property
    def seating(self) -> Seating: ...

    @property
    def scores(self) -> Scores: ...

    @property
    def content(self) -> Content: ...

    @property
    def answering(self) -> Answering: ...

    @property
    def review(self) -> Review: ...

    @property
    def tables(self) -> Tables: ...

    @property
    def practice(self) -> PracticeTask | None:
        """None: workers begin with a real page."""

    @property
    def proposals(self) -> Proposals | None:
        """None: no metric can propose answers."""


_registered: dict[str, PageKind] = {}


def register(*kinds: PageKind) -> None:
    """Offer these kinds, in this order."""
    for kind in kinds:
        _registered[kind.key] = kind
        register_facts(kind.key, kind.words.label, kind.facts)


def get(key: str) -> PageKind:
    """The kind with a key. Raises KeyError where there is none."""
    return _registered[key]


def of(study: Study) -> list[PageKind]:
    """The kinds of a study's pages, in the order in which workers get them."""
    return [get(key) for key in study.page_kinds]


def every() -> list[PageKind]:
    """In the order in which they are offered."""
    return list(_registered.values())


def practice_of(kinds: Iterable[str]) -> PracticeTask | None:
    """What can be practised before pages of these kinds."""
    tasks = [task for key in kinds if (task := get(key).practice)]
    return max(tasks, key=lambda task: len(task.asks), default=None)


def scores_of(study: Study) -> list[Scores]:
    """What its pages give, each once: kinds may share theirs."""
    scores = [kind.scores for kind in every() if kind.key in study.page_kinds]
    return list(dict.fromkeys(scores))


def measures(study: Study) -> list[Measure]:
    """What its answers add up to, beside its questions."""
    return [sums for kind in of(study) for sums in kind.tables.measures(study)]


def mark_scheme(study: Study) -> Mapping[str, Any] | None:
    """Which errors are marked on its pages; None where none are."""
    schemes = (kind.tables.mark_scheme(study) for kind in of(study))
    return next((scheme for scheme in schemes if scheme is not None), None)


def keys(where: Callable[[KindFacts], bool]) -> list[str]:
    """Of the kinds of which this holds."""
    return [key for key, kind in _registered.items() if where(kind.facts)]


def names() -> list[str]:
    """Keys of the kinds, in the order in which they are offered."""
    return list(_registered)
