"""4. The numbers at a glance, for pages, commands, the API and bundles.

Computed in one place, the analysis "overview", and kept as every analysis is. A page
shows the newest there is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from annotation.kept import is_large
from annotation.models import Study
from scoring import analyses
from scoring.analyses.overview.result import Correlation, Mean, Result
from scoring.models import Analysis, Signature
from scoring.results import analysing
from scoring.scores import option_sets, versions
from scoring.scores import systems as system_scores
from scoring.scores.outputs import label, outputs_of

NAME = "overview"
# What commands and the API give of each row.
AGREEMENT = "aspect level own alpha n_texts n_ratings reason".split()
CORRELATION = (
    "metric signature metric_aspect human_aspect n n_rated grouping compared pearson"
    " spearman kendall reason"
).split()


@dataclass(frozen=True, slots=True)
class SystemRow:
    system: str
    n_texts: int  # with a human score
    n_no_output: int  # empty texts: no human mean has them, system-level metrics do
    cells: list[Mean]  # one for each column of the table


@dataclass(frozen=True, slots=True)
class SystemTable:
    """What people and system-level metrics say of each system."""

    columns: list[str]
    rows: list[SystemRow]
    # Columns without a number for any system, with the reason: they are left out.
    empty: list[tuple[str, str]] = field(default_factory=list)
    n_no_output: int = 0


def find(*, study: Study, now: datetime, **counted: object) -> Analysis:
    """The row with the newest numbers, if any; a worker is woken up where it is old.

    Args:
        study: Which one.
        now: When.
        counted: Its options, such as `with_excluded` and `grouping`.
    """
    options = analyses.options(NAME, counted)
    return analysing.find(study=study, name=NAME, options=options, now=now)


def of(row: Analysis | None) -> Result | None:
    return cast(Result, row.result) if row is not None and row.result else None


def now(*, study: Study, **counted: object) -> Result:
    """Compute them here: for commands, and where nobody can wait for a worker."""
    options = {name: counts for name, counts in counted.items() if counts}
    return cast(Result, analysing.result_of(study=study, name=NAME, options=options))


def newest(*, study: Study, at: datetime, **counted: object) -> Result | None:
    """What is kept, where it is of the data as they are, or else computed here.

    None for a large study, of which a worker computes it: that takes minutes.
    """
    row = find(study=study, now=at, **counted)
    if analysing.fresh(row):
        return of(row)
    return None if is_large(study) else now(study=study, **counted)


def record(row: Mapping[str, Any], keys: list[str]) -> dict[str, object]:
    return {key: row[key] for key in keys}


def systems(*, study: Study, result: Result) -> SystemTable:
    """Means by people, beside what metrics of whole systems gave. A few queries."""
    metrics, empty = _with_numbers(_of_metrics(study))
    empty_texts = study.generations.without_words().order_by()
    failed = Counter(empty_texts.values_list("system__name", flat=True))
    unscored: Mean = {"value": None, "reason": "not scored"}
    rows = [
        SystemRow(
            row["system"],
            row["n_texts"],
            failed.get(row["system"], 0),
            [
                *row["means"],
                *(found.get(row["system"], unscored) for found in metrics.values()),
            ],
        )
        for row in result["systems"]
    ]
    columns = [*result["aspects"], *metrics]
    return SystemTable(columns, rows, empty, n_no_output=failed.total())


Columns = dict[str, dict[str, Mean]]  # by the name of a column, and of a system


def _with_numbers(metrics: Columns) -> tuple[Columns, list[tuple[str, str]]]:
    """The columns that have a number for some system, and why the others have none."""
    kept: Columns = {}
    empty = []
    for column, found in metrics.items():
        if any(one["value"] is not None for one in found.values()):
            kept[column] = found
        else:
            reasons = (one["reason"] for one in found.values() if one["reason"])
            empty.append((column, next(reasons, "not scored")))
    return kept, empty


def _of_metrics(study: Study) -> Columns:
    """Means over seeds, by column, which is a metric's output, and system."""
    scored = system_scores.read(study=study)
    apart = option_sets.told_apart(study=study, signatures=scored.signatures.values())
    names = dict(study.systems.values_list("pk", "name"))
    found: dict[str, dict[str, Mean]] = defaultdict(dict)
    for (pk, key), given in scored.given.items():
        signature = scored.signatures[pk]
        column = found[f"{_label(signature, key)} {apart[pk]}".strip()]
        for system, one in given.items():
            reason = one.reason if one.mean is None else ""
            column[names[system]] = {"value": one.mean, "reason": reason}
    return found


def _label(signature: Signature, key: str) -> str:
    titles = {output.key: output.title for output in outputs_of(signature)}
    return label(signature.metric, titles.get(key, key))


def marked(rows: Iterable[Correlation]) -> list[Correlation]:
    """Rows of correlations, with a sentence where an earlier version made the scores.

    Only the site can say so: a bundle holds the code that made it, and no metrics.
    """
    olds = ((row, versions.old(row["signature"])) for row in rows)
    return [
        {**row, "old_version": made.sentence if made else None} for row, made in olds
    ]
