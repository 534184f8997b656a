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
    sentinels = {one["key"]: one["sentinels"] for one in result["aspects"]}
    return Floors(_words(result), result["grouping"], result["coefficient"], sentinels)


def reached(found: Floors | None, grouping: str) -> dict[str, list[Trivial]]:
    """What simple guesses reach on each aspect, where texts are compared alike.

    Chance, which reaches 0 by definition, is left out; so are all where the answer is
    of older ratings, or is being computed.
    """
    if found is None or found.grouping != grouping:
        return {}
    return {
        aspect: [_trivial(one, found.coefficient) for one in sentinels if _seen(one)]
        for aspect, sentinels in found.sentinels.items()
    }


def _seen(one: Sentinel) -> bool:
    return one["key"] != "chance"


def _trivial(one: Sentinel, coefficient: str) -> Trivial:
    """Under its coefficient the number, under the others why there is none."""
    why = one["r"]["reason"] or one["reason"] or ""
    cells: dict[str, tuple[float | None, str]]
    cells = {name: (None, NOT_ASKED) for name in COEFFICIENTS}
    cells[coefficient] = (one["r"]["value"], why)
    title = f"Guess: {TITLES[one['key']]}"
    return Trivial(title, one["r"]["n"] or 0, list(cells.values()))


def beside(
    *, study: Study, options: Filters, result: dict[str, Any], now: datetime
) -> dict[str, Any]:
    """The result of "correlations", with what the answer says of each row, and with
    the simple guesses themselves.

    Of the same texts and with the same coefficient; means of systems have no answer.
    """
    if result["level"] != "texts":
        return result
    given = {name: getattr(options, name) for name in OPTIONS}
    basis = {"coefficient": result["primary"], "grouping": _grouping(options, result)}
    found = find(study=study, now=now, **given, **basis)
    if found is None:
        return result
    if found.grouping != result["grouping"]:  # one of them is of older ratings
        found = Floors(None)
    told = [
        [
            _told(found, output, aspect["key"], output["baseline"])
            for aspect in result["aspects"]
        ]
        for output in result["outputs"]
    ]
    below = [found.sentinels.get(aspect["key"], []) for aspect in result["aspects"]]
    return {**result, "floor": told, "sentinels": below}


def under_two(
    *, study: Study, options: Filters, result: dict[str, Any], now: datetime
) -> dict[str, Any]:
    """The result of "comparison", with the answer's rows of its two metrics.

    For each of its aspects those of the metrics that the answer has.
    """
    if result["level"] != "texts" or answer.missing(study=study):
        return result
    given = {name: getattr(options, name) for name in OPTIONS}
    basis = {"coefficient": result["coefficient"]}
    asked = {**given, **basis, "grouping": _grouping(options, result)}
    found = answer.of(answer.find(study=study, now=now, **asked))
    if found is None or found["grouping"] != result["grouping"]:
        return result
    ids = [output["id"] for output in result["outputs"]]
    rows = {
        one["key"]: [row for row in one["rows"] if row["output"]["id"] in ids]
        for one in found["aspects"]
    }
    under = [rows.get(aspect["key"], []) for aspect in result["aspects"]]
    return {**result, "under": under}


def _grouping(options: Filters, result: Mapping[str, Any]) -> str:
    """By the same rule, so that the answer of Results serves; else what it found.

    The answer takes every rated text, whatever the minimum of ratings.
    """
    asked, least = (getattr(options, name) for name in ("grouping", "min_ratings"))
    return AUTO if asked == AUTO and least == 1 else str(result["grouping"])


def told(rows: Sequence[Correlation], found: Floors | None) -> list[Correlation]:
    """Rows of the overview, each with its verdict, where there is an answer at all."""
    if found is None:
        return list(rows)
    return [{**row, "trivial": _of_row(found, row)} for row in rows]


def _of_row(found: Floors, row: Correlation) -> str:
    if row["baseline"]:
        return TRIVIAL
    key = (row["signature_id"], row["label"], row["metric_aspect"])
    words = found.of(*key, row["human_aspect"])
    return words or ("Being computed" if found.words is None else "")


def _told(
    found: Floors, output: Mapping[str, Any], aspect: str, baseline: bool
) -> dict[str, str]:
    key = (output["signature_id"], output["label"], output["key"])
    words = TRIVIAL if baseline else found.of(*key, aspect)
    return {"words": words or "", "reason": "" if words else found.reason}


def _words(result: Result) -> dict[Key, str]:
    found: dict[Key, str] = {}
    for one in result["aspects"]:
        for row in one["rows"]:
            found[_key(row["output"], one["key"])] = row["words"]
        for other in one["undirected"]:
            found[_key(other["output"], one["key"])] = NO_DIRECTION
    return found


def _key(output: Mapping[str, Any], aspect: str) -> Key:
    return output["signature_id"] or output["label"], output["key"], aspect
