"""What came into a study, in figures and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.imports._account import Entry
from annotation.imports._sheet import Counts, Sheet
from annotation.imports._writing import Plan
from annotation.models import Import, Study

LISTED = 5  # systems


@dataclass(frozen=True)
class ImportResult:
    """What came into a study."""

    study: Study
    record: Import
    n_texts: int
    n_systems: int
    n_prompts: int
    n_ratings: int
    n_means: int
    n_scores: int = 0
    n_by_id: int = 0  # texts of the study that the file rates
    n_left_out: int = 0  # lines that could not be used
    n_respelled: int = 0  # texts that repeat their prefix in another spelling
    n_no_output: int = 0  # empty texts
    no_output: str = ""  # what was done with them
    notes: Sequence[str] = ()  # what was passed over, and how the file was read
    account: Sequence[Entry] = ()  # where the filled cells of each column went

    def __str__(self) -> str:
        systems = _n(self.n_systems, "system") if self.n_systems else "unknown systems"
        values = (
            *((self.n_ratings, "rating"), (self.n_means, "mean rating")),
            (self.n_scores, "metric score"),
        )
        found = " and ".join(_n(n, what) for n, what in values if n)
        left_out = f"{_n(self.n_left_out, 'line')} left out." if self.n_left_out else ""
        notes = (left_out, respelled(self.n_respelled), self.no_output)
        more = " ".join(filter(None, notes))
        if self.n_by_id:
            of = f"{_n(self.n_by_id, 'text')} of the study, by ID"
            return (
                f"{self.study.name}: {found or 'no ratings'} of {of}. {more}".rstrip()
            )
        return (
            f"{self.study.name}: {_n(self.n_texts, 'text')} of {systems} for "
            f"{_n(self.n_prompts, 'prompt')}, {found or 'no ratings'}. {more}"
        ).rstrip()


def no_output(counts: Counts) -> str:
    """What was done with empty texts, if there are any."""
    of_systems, rated = counts.no_output, counts.ratings_of_no_output
    if not of_systems:
        return ""
    n, n_systems = of_systems.total(), len(of_systems)
    listed = list(of_systems.items())[:LISTED]
    names = [name if n_systems == 1 else f"{name} ({k:,})" for name, k in listed]
    more = f" and {n_systems - LISTED:,} more" if n_systems > LISTED else ""
    told = (
        f"{_n(n, 'text')} {'is' if n == 1 else 'are'} empty: imported as no output of"
        f" {'system' if n_systems == 1 else 'systems'} {', '.join(names)}{more}."
        " No page shows them; metrics count them."
    )
    if rated:
        told += f" Ratings of them ({rated:,}) count only with excluded texts included."
    return told


def respelled(n: int) -> str:
    """What was done with prefixes that texts repeat in another spelling, if any do."""
    if not n:
        return ""
    repeat = "repeats its" if n == 1 else "repeat their"
    return (
        f"{_n(n, 'text')} {repeat} prefix in another spelling: the prefix is kept once."
    )


def _n(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def result_of(plan: Plan, sheet: Sheet) -> ImportResult:
    counts = sheet.counts
    return ImportResult(
        study=plan.study,
        record=plan.record,
        n_texts=counts.texts,
        n_systems=len(counts.systems),
        n_prompts=counts.prompts,
        n_ratings=counts.ratings,
        n_means=counts.means,
        n_by_id=counts.by_id,
        n_scores=sum(counts.metrics.values()),
        n_left_out=len(sheet.problems.bad_lines),
        n_respelled=counts.respelled,
        n_no_output=counts.no_output.total(),
        no_output=no_output(counts),
        notes=sheet.notes,
        account=sheet.account,
    )
