"""Choices between the texts of two systems: their texts, and the choices. Pure.

A study gets each text once, with its system and its prompt. What was chosen is no
rating of a text: `votes` gives it as rows for `read_votes`, and the texts' account says
that it was not taken with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from annotation.imports._account import Account, filled
from annotation.imports._cells import number
from annotation.imports._verbs import Records, set_aside
from annotation.imports.files import Record
from annotation.imports.presets import _outputs

NOT_TAKEN = (
    "The texts of both systems come in, each once. The choices between them do not: add"
    " the same file again, as votes."
)
A_VOTE = "a choice between two texts is a vote: add it with the results"
OF_PAIR = "it is about the pair, not about one of its texts"
SAME_TEXT = "the same text of this system stands in an earlier row"
TIES = ("tie", "tie (bothbad)", "both", "bothbad", "draw", "equal", "0", "1.5")
FIRST = ("model_a", "a", "1", "1.0", "first", "output_1", "left")
SECOND = ("model_b", "b", "2", "2.0", "second", "output_2", "right")
MIDDLE = 1.5  # of preferences from 1 to 2


class Side(NamedTuple):
    system: str
    text: Any
    more: dict[str, Any] = {}  # what is said of this text alone: its score


class Pair(NamedTuple):
    """Two texts to one prompt, and what was said of them."""

    name: str  # the same of all votes on this pair
    prompt: Any
    first: Side
    second: Side
    choice: Any
    rater: str
    question: str
    cells: dict[str, Any]  # of the record, which say nothing of the texts


PairOf = Callable[[Record], Pair]


def texts(records: Iterator[Record], pair_of: PairOf, account: Account) -> Records:
    """The texts of both; where nobody is named, an empty one is none."""
    return _outputs.with_texts(_texts(records, pair_of, account), account)


def _texts(records: Iterator[Record], pair_of: PairOf, account: Account) -> Records:
    """Each text once. Hashes are remembered: pairs share their texts."""
    seen: set[int] = set()
    for record in records:
        pair = pair_of(record)
        for name, value in pair.cells.items():
            is_vote = value == pair.choice or str(value) == pair.rater
            set_aside({name: value}, account, A_VOTE if is_vote else OF_PAIR)
        for side in (pair.first, pair.second):
            key = hash((side.system, str(pair.prompt), str(side.text)))
            told = {"system": side.system, "prompt": pair.prompt, "text": side.text}
            if any(map(filled, side.more.values())):
                told |= {"rater": pair.rater, **side.more}
            elif key in seen:
                told = {}
            if told:
                seen.add(key)
                yield Record(record.line, told)
            elif filled(side.text):
                account.set_aside("text", words=SAME_TEXT)


def votes(records: Iterator[Record], pair_of: PairOf) -> Iterator[dict[str, Any]]:
    """Rows that `read_votes` takes; one without a choice is none."""
    for record in records:
        pair = pair_of(record)
        if outcome := outcome_of(pair.choice, pair.first.system, pair.second.system):
            yield {
                "pair": pair.name,
                "first": pair.first.system,
                "second": pair.second.system,
                "outcome": outcome,
                "worker": pair.rater,
                "question": pair.question,
            }


def outcome_of(choice: Any, first: str, second: str) -> str:
    """ "first", "second" or "tie"; empty: nothing was chosen.

    AlpacaEval's preferences go from 1, the first, to 2, the second.
    """
    said = "" if choice is None else str(choice).strip().lower()
    for words, outcome in ((TIES, "tie"), (FIRST, "first"), (SECOND, "second")):
        if said in words:
            return outcome
    for name, outcome in ((first, "first"), (second, "second")):
        if said and said == name.strip().lower():
            return outcome
    found = number(choice)
    if found is None or not 1 <= found <= 2:
        return ""
    return "tie" if found == MIDDLE else "first" if found < MIDDLE else "second"
