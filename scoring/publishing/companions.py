"""What contrib apps add to a data set: files, and what is said of them. Pure.

An app registers its own in `ready`. Without any, a data set is its tables, its card and
what computes its numbers again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scoring.publishing.facts import Facts


@dataclass(frozen=True)
class Companion:
    """The files that one app adds, and each place that names them."""

    # Facts, and the SHA-256 of each table's file -> texts by their place in the folder.
    files: Callable[[Facts, Mapping[str, str]], Mapping[str, str]]
    tags: Sequence[str]  # of the card, for hubs
    card: str  # what the card says of the files
    cite: str  # what it says of how to cite the data set
    titles: Sequence[str]  # for the help of the command
    report: Callable[[Facts], str]  # what the command says of what it has written
    contents: str  # template with entries of the list on the page
    preview: str  # template with what the page shows before there is a data set
    values: Callable[[Facts], Mapping[str, object]]  # of this template


COMPANIONS: list[Companion] = []


def register(companion: Companion) -> None:
    COMPANIONS.append(companion)
