"""What the answer says of each metric and the simple guesses, for other pages.

A correlation alone may owe its size to the length of the texts. Wherever correlations
are read, the verdict of the answer stands beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, NamedTuple

from annotation.models import Study
from scoring.analyses.answer.result import Result, Sentinel
from scoring.analyses.overview.result import Correlation
from scoring.results import answer
from scoring.stats.answer.sentences import TITLES
from scoring.stats.data import Filters
from scoring.stats.grouping import AUTO

NO_DIRECTION = "No direction"
TRIVIAL = "A simple guess itself"
NOT_ASKED = "the answer has only its own coefficient of simple guesses"
COEFFICIENTS = ("pearson", "spearman", "kendall")
COMPUTING = "the answer is being computed, so reload the page in a moment"
OPTIONS = frozenset(one.name for one in fields(Filters)) - {"seed"}

Key = tuple[int | str, str, str]  # signature, or else label; output; aspect


@dataclass(frozen=True, slots=True)
class Floors:
    """Verdicts by metric and aspect, and what the simple guesses reach."""

    words: Mapping[Key, str] | None  # None: they are being computed
    grouping: str = ""  # what the answer compares texts within
    coefficient: str = ""
    sentinels: Mapping[str, list[Sentinel]] = field(default_factory=dict)  # by aspect

    @property
    def reason(self) -> str:
        """Why there is no verdict."""
        return COMPUTING if self.words is None else "the answer has no such metric"

    def of(
        self, signature: int | None, label: str, output: str, aspect: str
    ) -> str | None:
        """What the answer says of one metric and one aspect, in a few words."""
        return (self.words or {}).get((signature or label, output, aspect))


class Trivial(NamedTuple):
    """One of them below a table of correlations."""

    title: str
    n: int
    cells: list[tuple[float | None, str]]  # value and reason, by coefficient


def find(*, study: Study, now: datetime, **chosen: object) -> Floors | None:
    """As the newest answer has them; None where there is nothing to answer.

    A worker is woken up where the answer is old.
    """
    if answer.missing(study=study):
        return None
    row = answer.find(study=study, now=now, **chosen)
    result = answer.of(row)
    if result is None:
        return Floors(None)
    sentinels = {aspect["key"]: aspect["sentinels"] for aspect in result["aspects"]}
    return Floors(_words(result), result["grouping"], result["coefficient"], sentinels)


def reached(floors: Floors | None, grouping: str) -> dict[str, list[Trivial]]:
    """What simple guesses reach on each aspect, where texts are compared alike.

    Chance, which reaches 0 by definition, is left out; so are all where the answer is
    of older ratings, or is being computed.
    """
    if floors is None or floors.grouping != grouping:
        return {}
    return {
        aspect: [
            _trivial(sentinel, floors.coefficient)
            for sentinel in sentinels
            if _is_shown(sentinel)
        ]
        for aspect, sentinels in floors.sentinels.items()
    }


def _is_shown(sentinel: Sentinel) -> bool:
    return sentinel["key"] != "chance"


def _trivial(sentinel: Sentinel, coefficient: str) -> Trivial:
    """Under its coefficient the number, under the others why there is none."""
    why = sentinel["r"]["reason"] or sentinel["reason"] or ""
    cells: dict[str, tuple[float | None, str]]
    cells = {name: (None, NOT_ASKED) for name in COEFFICIENTS}
    cells[coefficient] = (sentinel["r"]["value"], why)
    title = f"Guess: {TITLES[sentinel['key']]}"
    return Trivial(title, sentinel["r"]["n"] or 0, list(cells.values()))


def beside(
    *, study: Study, options: Filters, result: dict[str, Any], now: datetime
) -> dict[str, Any]:
    """The result of "correlations", with what the answer says of each row, and with
    the simple guesses themselves.

    Of the same texts and with the same coefficient; means of systems have no answer.
    """
    if result["level"] != "texts":
        return result
    filters = {name: getattr(options, name) for name in OPTIONS}
    basis = {"coefficient": result["primary"], "grouping": _grouping(options, result)}
    floors = find(study=study, now=now, **filters, **basis)
    if floors is None:
        return result
    if floors.grouping != result["grouping"]:  # one of them is of older ratings
        floors = Floors(None)
    verdicts = [
        [
            _verdict(floors, output, aspect["key"], output["baseline"])
            for aspect in result["aspects"]
        ]
        for output in result["outputs"]
    ]
    sentinels = [
        floors.sentinels.get(aspect["key"], []) for aspect in result["aspects"]
    ]
    return {**result, "floor": verdicts, "sentinels": sentinels}


def under_two(
    *, study: Study, options: Filters, result: dict[str, Any], now: datetime
) -> dict[str, Any]:
    """The result of "comparison", with the answer's rows of its two metrics.

    For each of its aspects those of the metrics that the answer has.
    """
    if result["level"] != "texts" or answer.missing(study=study):
        return result
    filters = {name: getattr(options, name) for name in OPTIONS}
    basis = {"coefficient": result["coefficient"]}
    chosen = {**filters, **basis, "grouping": _grouping(options, result)}
    newest = answer.of(answer.find(study=study, now=now, **chosen))
    if newest is None or newest["grouping"] != result["grouping"]:
        return result
    ids = [output["id"] for output in result["outputs"]]
    rows = {
        aspect["key"]: [row for row in aspect["rows"] if row["output"]["id"] in ids]
        for aspect in newest["aspects"]
    }
    under = [rows.get(aspect["key"], []) for aspect in result["aspects"]]
    return {**result, "under": under}


def _grouping(options: Filters, result: Mapping[str, Any]) -> str:
    """By the same rule, so that the answer of Results serves; else what it found.

    The answer takes every rated text, whatever the minimum of ratings.
    """
    grouping, least = (getattr(options, name) for name in ("grouping", "min_ratings"))
    return AUTO if grouping == AUTO and least == 1 else str(result["grouping"])


def told(rows: Sequence[Correlation], floors: Floors | None) -> list[Correlation]:
    """Rows of the overview, each with its verdict, where there is an answer at all."""
    if floors is None:
        return list(rows)
    return [{**row, "trivial": _of_row(floors, row)} for row in rows]


def _of_row(floors: Floors, row: Correlation) -> str:
    if row["baseline"]:
        return TRIVIAL
    key = (row["signature_id"], row["label"], row["metric_aspect"])
    words = floors.of(*key, row["human_aspect"])
    return words or ("Being computed" if floors.words is None else "")


def _verdict(
    floors: Floors, output: Mapping[str, Any], aspect: str, baseline: bool
) -> dict[str, str]:
    key = (output["signature_id"], output["label"], output["key"])
    words = TRIVIAL if baseline else floors.of(*key, aspect)
    return {"words": words or "", "reason": "" if words else floors.reason}


def _words(result: Result) -> dict[Key, str]:
    words: dict[Key, str] = {}
    for aspect in result["aspects"]:
        for row in aspect["rows"]:
            words[_key(row["output"], aspect["key"])] = row["words"]
        for undirected in aspect["undirected"]:
            words[_key(undirected["output"], aspect["key"])] = NO_DIRECTION
    return words


def _key(output: Mapping[str, Any], aspect: str) -> Key:
    return output["signature_id"] or output["label"], output["key"], aspect
