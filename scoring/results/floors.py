"""What the answer says of each metric and the trivial predictors, for other pages.

A correlation alone may owe its size to the length of the texts. Wherever correlations
are read, the verdict of the answer stands beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from annotation.models import Study
from scoring.results import answer
from scoring.stats.analyses.results.answer import OfAspect, Result, Row
from scoring.stats.analyses.results.overview import Correlation
from scoring.stats.answer import verdicts
from scoring.stats.data import Filters

NO_DIRECTION = "No direction"
TRIVIAL = "A trivial predictor itself"
COMPUTING = "the answer is being computed, so reload the page in a moment"
OPTIONS = frozenset(field.name for field in fields(Filters)) - {"seed"}

Key = tuple[int | str, str, str]  # signature, or else label; output; aspect


@dataclass(frozen=True, slots=True)
class Floors:
    """Verdicts by metric and aspect."""

    words: Mapping[Key, str] | None  # None: they are being computed

    @property
    def reason(self) -> str:
        """Why there is no verdict."""
        return COMPUTING if self.words is None else "the answer has no such metric"

    def of(
        self, signature: int | None, label: str, output: str, aspect: str
    ) -> str | None:
        """What the answer says of one metric and one aspect, in a few words."""
        return (self.words or {}).get((signature or label, output, aspect))


def find(*, study: Study, now: datetime, **chosen: object) -> Floors | None:
    """As the newest answer has them; None where there is nothing to answer.

    A worker is woken up where the answer is old.
    """
    if answer.missing(study=study):
        return None
    row = answer.find(study=study, now=now, **chosen)
    result = answer.of(row)
    return Floors(None if result is None else _words(result))


def beside(
    *, study: Study, options: Filters, result: dict[str, Any], now: datetime
) -> dict[str, Any]:
    """The result of "correlations", with what the answer says of each row.

    Of the same texts and with the same coefficient; means of systems have no answer.
    """
    if result["level"] != "texts":
        return result
    given = {name: getattr(options, name) for name in OPTIONS}
    basis = {"coefficient": result["primary"], "grouping": result["grouping"]}
    found = find(study=study, now=now, **given, **basis)
    if found is None:
        return result
    told = [
        [
            _told(found, output, aspect["key"], output["baseline"])
            for aspect in result["aspects"]
        ]
        for output in result["outputs"]
    ]
    return {**result, "floor": told}


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
            found[_key(row["output"], one["key"])] = _verdict(one, row)
        for other in one["undirected"]:
            found[_key(other["output"], one["key"])] = NO_DIRECTION
    return found


def _key(output: Mapping[str, Any], aspect: str) -> Key:
    return output["signature_id"] or output["label"], output["key"], aspect


def _verdict(one: OfAspect, row: Row) -> str:
    reached = {sentinel["key"]: sentinel["r"]["value"] for sentinel in one["sentinels"]}
    return verdicts.beside(row["code"], row["hardest"], reached.get(row["hardest"]))
