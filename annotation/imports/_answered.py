"""Which questions about a file are answered, and what its cells stand for. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.imports._question import (
    DECIMAL,
    ENCODING,
    HEADER,
    PARTS,
    RATINGS,
    SHAPE,
    TEXTS,
    UNPLACED,
    Question,
)
from annotation.imports._values import Table

EVERY = ""  # the aspect of an answer that counts for all of them


def tables(
    asked: Iterable[Question], given: Mapping[str, Mapping[str, Any]]
) -> dict[str, Table]:
    """What cells stand for, by aspect or metric: as answered, else as proposed."""
    made: dict[str, Table] = {}
    for question in asked:
        for about, words in question.words.items():
            table = {word: question.table[word] for word in words}
            made.setdefault(about, {}).update(table)
    for about in {*made, *given}:
        made.setdefault(about, {}).update(answers_about(about, given))
    return made


def answers_about(
    about: str, given: Mapping[str, Mapping[str, Any]]
) -> dict[str, int | str]:
    """Those that name no aspect count for all."""
    return {**given.get(EVERY, {}), **given.get(about, {})}


def still_open(
    asked: Iterable[Question],
    *,
    values: Mapping[str, Mapping[str, Any]],
    roles: Mapping[str, str],
    decimal: str,
    takes_proposals: bool,
    preset: str | None = None,
) -> list[Question]:
    """Those that nobody has answered yet.

    Args:
        asked: All of a file.
        values: What cells stand for, as answered, by aspect or metric.
        roles: Those that somebody has chosen, by column.
        decimal: What a comma is; empty: nobody has said so.
        takes_proposals: Whether what is proposed is right, where something is.
        preset: That somebody has chosen; empty: none of them is right.
    """
    chosen = set(roles)

    def is_open(one: Question) -> bool:
        if one.code == DECIMAL:
            return not decimal and not takes_proposals
        if one.code == ENCODING:
            return True  # one that is chosen has no rivals
        if one.code == SHAPE:
            return preset is None and not (takes_proposals and one.has_proposal)
        if one.code == TEXTS:
            return "text" not in roles.values()
        if one.code in (RATINGS, PARTS, HEADER, UNPLACED):
            is_taken = takes_proposals and one.has_proposal
            return not chosen.issuperset(one.words) and not is_taken
        if takes_proposals and one.has_proposal:
            return False
        return any(
            set(words) - set(answers_about(about, values))
            for about, words in one.words.items()
        )

    return [one for one in asked if is_open(one)]
