"""Answers that a metric proposes, which people keep, change or delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from annotation.models import Study


class ProposedError(ValueError):
    """This cannot be proposed. The message says why."""


class Proposed(NamedTuple):
    """What is proposed, and what could not be, by the reason."""

    texts: int
    marks: int
    left_out: Mapping[str, int]


class Outcome(NamedTuple):
    """What people did, over valid pages; damaged texts are left out."""

    metric: str
    texts: int  # each as often as it was judged
    proposed: int
    kept: int
    changed: int
    deleted: int
    added: int


class Proposals(Protocol):
    """How answers are proposed on pages of a kind."""

    def propose(
        self, *, study: Study, metric: str, marks: Mapping[int, Sequence[Sequence[Any]]]
    ) -> Proposed:
        """Instead of what was proposed before.

        Args:
            study: A draft.
            metric: What tables call it.
            marks: Of each text that it has read, by id: start, end, category, severity,
                side and words, in code points of the stored text.

        Raises:
            ProposedError: The study is no draft, or nobody could make any of the marks.
        """

    def withdraw(self, *, study: Study) -> None:
        """Propose nothing. Raises: ProposedError: The study is no draft."""

    def metric(self, study: Study) -> str:
        """Whose answers are proposed, as tables call it; empty: none are."""

    def outcome(self, study: Study) -> Outcome | None:
        """None: nothing is proposed."""
