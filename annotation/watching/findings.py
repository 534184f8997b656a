"""Single reasons to look at someone or something, each with its number. No query."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from statistics import median
from typing import NamedTuple

from annotation.models import Report
from annotation.watching import thresholds
from annotation.watching.canaries import Followed
from annotation.watching.copying import Held
from annotation.watching.raters import Rater
from annotation.watching.thresholds import Limits
from scoring.stats.copying.testing import RATE

Z = 1.96  # of a 95 % interval


class Severity(IntEnum):
    NOTE = 1  # worth reading
    LOOK = 2  # probably something
    URGENT = 3  # decide before more such pages come in

    @property
    def word(self) -> str:
        return {1: "Note", 2: "Look", 3: "Urgent"}[self.value]

    @property
    def badge(self) -> str:
        return {1: "", 2: "attention", 3: "bad"}[self.value]


class Finding(NamedTuple):
    """One reason to look."""

    kind: str
    short: str  # for a table cell
    severity: Severity
    sentence: str  # with the number that led to it
    seats: Sequence[int]  # pages that show it


class Words(NamedTuple):
    """What a worker wrote on a page."""

    worker: int
    seat: int
    words: str

    @property
    def plain(self) -> str:
        """The same for all who wrote the same but for capitals and spaces."""
        return " ".join(self.words.casefold().split())


def fast(rater: Rater, limits: Limits) -> Finding | None:
    """Reads faster than people do, on the median page."""
    speed = rater.speed.value
    if speed is None or speed <= limits.fast:
        return None
    over = [pk for pk, found in rater.page_speeds.items() if found > limits.fast]
    severity = Severity.URGENT if speed > limits.too_fast else Severity.LOOK
    said = (
        f"Reads {speed:.0f} characters per second on their median page. Most adults"
        f" read 17 to 29, and the limit of quality control is {limits.too_fast:g}."
    )
    if rater.by_clock:
        said += " Timed by the clock, because the browser sent no reading times."
    newest = sorted(over, key=lambda pk: -rater.page_speeds[pk])
    return Finding("fast", "too fast", severity, said, newest)


def same(rater: Rater, limits: Limits) -> Finding | None:
    """The same answer everywhere on some pages, or nearly everywhere on all."""
    n, total, common = len(rater.same_pages), rater.pages, rater.common.value or 0
    if n >= 2:
        most = n >= limits.same_pages and 2 * n > total
        severity = Severity.URGENT if most else Severity.LOOK
        said = f"Gave the same answer everywhere on {n} of {total} pages."
    elif common >= thresholds.MOST_COMMON:
        severity = Severity.LOOK
        said = f"Gave the same answer to {100 * common:.0f} % of all questions."
    else:
        return None
    return Finding("same", "no variation", severity, said, rater.same_pages)


def agreement(
    rater: Rater, usual: float | None, pages: Sequence[int]
) -> Finding | None:
    """Rates against the others, or hardly with them.

    Args:
        rater: Whose ratings.
        usual: What r most workers have; None where there are too few.
        pages: Theirs, to go to.
    """
    r, n = rater.agreement.value, rater.texts
    if r is None or n < thresholds.ENOUGH_TEXTS:
        return None
    low, high = interval(r, n)
    numbers = f"r = {r:.2f} on {n} texts (95 % interval {low:.2f} to {high:.2f})"
    if high < 0:
        severity = Severity.URGENT
        said = (
            f"Rates the other way round: {numbers}. Perhaps the scale was read in"
            " reverse, or this is another honest taste: ask before you decide."
        )
    elif r < 0:
        severity, said = Severity.LOOK, f"Does not agree with the others: {numbers}."
    elif usual is not None and high < thresholds.LOW_SHARE * usual:
        severity = Severity.LOOK
        said = f"Agrees little with the others: {numbers}. Usual here is {usual:.2f}."
    else:
        return None
    said = said.replace("-", "\N{MINUS SIGN}")
    return Finding("agreement", "disagrees with others", severity, said, pages)


def side(rater: Rater, pages: Sequence[int]) -> Finding | None:
    """Nearly always chooses the text on the same side."""
    share, n = rater.left.value, rater.choices
    if share is None or n < thresholds.ENOUGH_CHOICES:
        return None
    name, most = ("left", share) if share > 0.5 else ("right", 1 - share)
    if most < thresholds.MOST_OF_ONE_SIDE:
        return None
    said = f"Chose the text on the {name} in {100 * most:.0f} % of {n} choices."
    return Finding("side", "always one side", Severity.LOOK, said, pages)


def odds(rater: Rater, limits: Limits, pages: Sequence[int]) -> Finding | None:
    """Close to the odds at which quality control discards everything of theirs."""
    if limits.odds is None or rater.odds is None:
        return None
    if not thresholds.NEAR_LIMIT * limits.odds <= rater.odds <= limits.odds:
        return None
    said = (
        f"Answers are {rater.odds:.0f} times as likely to be random as to come from"
        f" reading. Quality control discards all their pages above {limits.odds:g}."
    )
    return Finding("odds", "maybe random", Severity.LOOK, said, pages)


def discarded(rater: Rater, pages: Sequence[int]) -> Finding | None:
    """Pages that quality control took out."""
    if not pages:
        return None
    n, total = len(pages), rater.pages
    severity = Severity.NOTE
    if n >= thresholds.DISCARDED:
        severity = Severity.URGENT if 2 * n > total else Severity.LOOK
    named = ", ".join(f"{check} ({times})" for check, times in rater.checks)
    of_all = "1 page was" if total == 1 else f"{n} of {total} pages were"
    named = f": {named}" if named else ""
    said = f"{of_all} discarded{named}."
    return Finding("discarded", f"{n} discarded{named}", severity, said, pages)


def changes(rater: Rater, limits: Limits) -> Finding | None:
    """So few or so many words changed that the text may not have been corrected."""
    n, total = len(rater.outside), rater.pages
    if not n or rater.changed.value is None:
        return None
    pages = "1 page" if n == 1 else f"{n} of {total} pages"
    said = (
        f"Too few or too many words changed on {pages}. Over all their corrections,"
        f" {rater.changed.value:.3g} of 100 words."
    )
    most = n >= limits.pages and 2 * n > total
    severity = Severity.LOOK if most else Severity.NOTE
    return Finding("changes", "unusual corrections", severity, said, rater.outside)


def copied(held: Held, pages: Sequence[int]) -> Finding | None:
    """Gives a judge's answers more often than honest workers do, on the same texts."""
    if not held.stands_out:
        return None
    one = "1 answer" if held.n == 1 else f"{held.n} answers"
    said = (
        f"Gave the same answer as {held.judge} in {held.same} of {one}. From what other"
        f" people say of these {held.texts} texts, about {held.expected:.0f} would be"
        f" expected. About {thresholds.ROUND_RATE} of 100 honest workers get this note,"
        " and more of very careful workers among careless ones: ask and look before you"
        " decide, and do not withhold pay because of it alone."
    )
    severity = Severity.LOOK if held.nobody_honest else Severity.NOTE
    return Finding("copied", "answers like a model", severity, said, pages)


def followed(one: Followed, workers: int) -> Finding | None:
    """Gives answers that hidden sentences ask programs for."""
    if one.p > RATE:
        return None
    n, pages = len(one.seats), one.pages
    said = (
        f"Gave the answer that a hidden sentence asks programs for on {n} of"
        f" {pages} pages. By chance, {one.expected:.1f} would be expected. At most"
        f" {thresholds.ROUND_RATE} of 100 honest workers get this note: ask and look"
        " before you decide, and do not withhold pay because of it alone."
    )
    severity = Severity.LOOK if one.p * workers <= RATE else Severity.NOTE
    return Finding("followed", "follows a hidden sentence", severity, said, one.seats)


def pasted(
    found: Sequence[tuple[int, int | None]], others: int, workers: int
) -> Finding | None:
    """Much of what they wrote came from elsewhere; whole texts may be a model's.

    Args:
        found: (page, characters pasted there; None where nobody counted), newest first.
        others: Workers who pasted as much, this one left out.
        workers: Of so many whose pages counted, this one left out.
    """
    total = total_pasted(found)
    if total is None or total < thresholds.MANY_PASTED:
        return None
    seats = [seat for seat, characters in found if characters]
    pages = "1 page" if len(seats) == 1 else f"{len(seats)} pages"
    whose = "1 other worker" if workers == 1 else f"{workers:,} other workers"
    share = f" Of {whose}, {others:,} pasted as much." if workers else ""
    said = (
        f"Pasted {total:,} characters into text fields on {pages}.{share} Some people"
        " write elsewhere first, or have someone translate for them."
    )
    return Finding("pasted", "pasted text", Severity.NOTE, said, seats)


def all_followed(found: Mapping[int, Followed]) -> dict[int, list[Finding]]:
    """By worker."""
    seen = {pk: followed(one, len(found)) for pk, one in found.items()}
    return {pk: [one] for pk, one in seen.items() if one is not None}


def all_pasted(
    found: Mapping[int, Sequence[tuple[int, int | None]]],
) -> dict[int, list[Finding]]:
    """By worker, beside how many others pasted as much as would be noted."""
    totals = [total_pasted(own) for own in found.values()]
    known = [one for one in totals if one is not None]
    many = sum(one >= thresholds.MANY_PASTED for one in known)
    seen = {pk: pasted(own, many - 1, len(known) - 1) for pk, own in found.items()}
    return {pk: [one] for pk, one in seen.items() if one is not None}


def joined(*found: Mapping[int, list[Finding]]) -> dict[int, list[Finding]]:
    """By worker; none where nothing was found."""
    together: dict[int, list[Finding]] = defaultdict(list)
    for one in found:
        for worker, own in one.items():
            together[worker] += own
    return together


def total_pasted(found: Sequence[tuple[int, int | None]]) -> int | None:
    """Over these pages; None where none of them counted."""
    known = [characters for _, characters in found if characters is not None]
    return sum(known) if known else None


def comments(found: Sequence[tuple[int, str]]) -> Finding | None:
    """Comments on pages: (seat, words), newest first."""
    if not found:
        return None
    pages = "a page" if len(found) == 1 else f"{len(found)} pages"
    said = f"Commented on {pages}: {_quoted(found[0][1])}"
    seats = [seat for seat, _ in found]
    return Finding("comment", "comment", Severity.NOTE, said, seats)


def repeated(words: Iterable[Words]) -> dict[int, list[Finding]]:
    """The same words again and again, by one worker or by several; by worker."""
    same_words: dict[str, list[Words]] = defaultdict(list)
    for one in words:
        if len(one.plain) >= thresholds.SHORTEST_WORDS:
            same_words[one.plain].append(one)
    found: dict[int, list[Finding]] = defaultdict(list)
    for group in same_words.values():
        by_worker: dict[int, list[int]] = defaultdict(list)
        for one in group:
            by_worker[one.worker].append(one.seat)
        several = len(by_worker) >= thresholds.SAME_WORDS_WORKERS
        for worker, seats in by_worker.items():
            if several:
                said = f"{len(by_worker)} workers wrote the same words"
            elif len(seats) >= thresholds.SAME_WORDS:
                said = f"Wrote the same words {len(seats)} times"
            else:
                continue
            said += f": {_quoted(group[0].words)}"
            own = list(dict.fromkeys(seats))
            finding = Finding("words", "repeated words", Severity.LOOK, said, own)
            found[worker].append(finding)
    return found


def informed(pages: Sequence[int]) -> Finding:
    n = len(pages)
    said = (
        "1 valid page was submitted after its worker had read the debriefing."
        if n == 1
        else f"{n} valid pages were submitted after their workers had read the"
        " debriefing."
    )
    said += " Statistics leave such pages out unless you include them."
    return Finding("informed", "after the debriefing", Severity.NOTE, said, pages)


def reported(found: Sequence[Report]) -> Finding:
    """A text whose reports wait."""
    n = len(found)
    people = "1 worker" if n == 1 else f"{n} workers"
    said = f"Reported by {people}, waiting for review: {_quoted(found[0].reason)}"
    seats = [report.seat_id for report in found]
    return Finding("reported", "reported", Severity.URGENT, said, seats)


def usual_agreement(found: Iterable[Rater]) -> float | None:
    """The median r of workers with enough texts; None where they are too few."""
    values = [
        rater.agreement.value
        for rater in found
        if rater.agreement.value is not None and rater.texts >= thresholds.ENOUGH_TEXTS
    ]
    return median(values) if len(values) >= thresholds.ENOUGH_WORKERS else None


def interval(r: float, n: int) -> tuple[float, float]:
    """Fisher's 95 % interval of r over n texts.

    Texts, not ratings: ratings of one text on several aspects go together.

    >>> [round(end, 2) for end in interval(0.0, 12)]
    [-0.57, 0.57]
    """
    # An r of 1 has no interval of this kind; it is far from every threshold.
    z = math.atanh(max(-0.999999, min(0.999999, r)))
    half = Z / math.sqrt(max(1, n - 3))
    return math.tanh(z - half), math.tanh(z + half)


def _quoted(words: str) -> str:
    plain = " ".join(words.split())
    if len(plain) > thresholds.MOST_QUOTED:
        plain = plain[: thresholds.MOST_QUOTED - 1].rstrip() + "…"
    return f"“{plain}”"
