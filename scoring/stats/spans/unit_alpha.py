"""Agreement of people on what they marked, beyond chance, over all texts together.

Krippendorff, Mathet, Bouvry and Widloecher (2016), "On the reliability of unitizing
textual continua: Further developments", Quality & Quantity 50; Krippendorff (2019),
Content Analysis, section 12.6. Texts that nobody marked count: to leave a text alone is
a decision, too. A source that can be marked is a text of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from scoring.stats import agreement, jackknife
from scoring.stats.agreement import MOST
from scoring.stats.estimates import Estimate
from scoring.stats.inversion import own_degrees
from scoring.stats.jackknife import LeaveOut, jackknifed
from scoring.stats.spans.marks import Marks, Side
from scoring.stats.spans.pages import Pages, Texts

# What a person's marks of a text are cut into: single characters, or the marks.
Unit = Literal["character", "mark"]
NO_PAIR = "no text was read by two people"
ALL_ALIKE = "all characters have the same mark, or none has one"
ALL_TEXTS = "all texts have an error, or none has one"
LEAST = 12
# Where two people hardly ever agree on an error, or on its absence, alpha hangs on the
# few prompts in which they do: below this many its interval does not hold.
FEW_AGREED = (
    f"an interval needs {LEAST} prompts in which two people agree on an error, and"
    f" {LEAST} in which they agree that there is none"
)


class Piece(NamedTuple):
    """A stretch of one text with one label: a unit, or the gap between two."""

    start: int
    end: int
    label: frozenset[str]  # categories of the marks that cover it; empty = a gap


@dataclass(frozen=True, slots=True)
class Coincidences:
    """What alpha is made of, summed within each continuum, that is one side of a text.

    Only continua that two people or more have read.
    """

    text: np.ndarray  # (c,) row of the text
    disagreed: np.ndarray  # (c,) characters on which pairs differ, over m - 1
    lengths: np.ndarray  # (c, V) characters that people gave each label
    paired: np.ndarray  # (c,) pairs of a unit with itself, which chance cannot make
    agreed: np.ndarray  # (c, 2) pairs who agree: on no label, on one


def alpha_interval(
    pages: Pages,
    texts: Texts,
    *,
    unit: Unit,
    left: LeaveOut,
    categories: bool = False,
) -> Estimate:
    """How far people agree on which characters are wrong, as alpha, with its interval.

    alpha = 1 - D_o / D_e with o_ck = sum_texts sum_(i != j) |c_i and k_j| / (m - 1),
    the characters that person i gave the label c and person j the label k, and
    e_ck = l (l_c l_k - [c = k] q_c) / (l^2 - q), where l_c = sum_k o_ck, and q_c are
    the pairs that cannot meet by chance, a unit's with itself: sum over units of their
    squared lengths, and for gaps sum of their lengths (eqs. 32 to 34 of the book).
    Units are a person's marks ("mark": alpha for unitizing), or each character is one
    ("character": nominal alpha, where q = l). All nominal.

    A person's marks that overlap are cut where the set of categories changes; marks
    that only touch stay two units. Points cover nothing and count for nothing.

    Args:
        pages: Who marked what. Use `Pages.only` for one category.
        texts: What could be marked.
        unit: "character" or "mark".
        left: Replicates of the texts, (n,), that lack a prompt each.
        categories: Whether a label is the set of categories; else it is "marked".

    Returns:
        Alpha in (-inf, 1]: 1 = all agree, 0 = as by chance. n = texts that two people
        have read. None with a reason where there is none, or where all characters have
        one label; limits as in `of_sums`.
    """
    sums = coincidences(pages, texts, unit=unit, categories=categories)
    return of_sums(sums, texts.prompt, left, ALL_ALIKE)


def has_error_interval(
    pages: Pages, texts: Texts, *, left: LeaveOut
) -> tuple[Estimate, float | None]:
    """Agreement on whether a text has an error at all.

    Args:
        pages: Who marked what.
        texts: What could be marked.
        left: As in `alpha_interval`.

    Returns:
        Nominal alpha with its interval, and the share of pairs of people who agree,
        in [0, 1], which alpha corrects for chance; None where no text has two people.
    """
    any_mark = np.array([len(marks) > 0 for marks in pages.marks], np.int64)
    counts = np.zeros((len(texts), 2), np.int64)
    np.add.at(counts, (pages.text, any_mark), 1)
    m = counts.sum(axis=1)
    use = np.flatnonzero(m >= 2)
    pairs, m = counts[use], m[use]
    # Each text is a continuum of one character.
    sums = Coincidences(
        text=use,
        disagreed=2 * pairs.prod(axis=1) / (m - 1),
        lengths=pairs.astype(np.float64),
        paired=m.astype(np.float64),
        agreed=pairs * (pairs - 1),
    )
    return of_sums(sums, texts.prompt, left, ALL_TEXTS), agreement.equal_share(counts)


def of_sums(
    sums: Coincidences, prompts: np.ndarray, left: LeaveOut, reason: str
) -> Estimate:
    """The jackknife with t on alpha's own scale, whose longer tail is stretched.

    Degrees of freedom are the lesser of those of the replicates and of
    `inversion.own_degrees`. Coverage: benchmarks/coverage_of_marks.md.

    Args:
        sums: Of all continua.
        prompts: Of each text, (n,).
        left: Replicates of the texts, (n,), that lack a prompt each.
        reason: Why alpha is None, where all labels are alike.

    Returns:
        No limits where people agree in few prompts on an error, or on its absence.
    """
    n_texts = len(np.unique(sums.text))
    if not n_texts:
        return Estimate(None, n=0, reason=NO_PAIR)
    value = _alphas(np.ones((1, len(sums.text))), sums)[0]
    if np.isnan(value):
        return Estimate(None, n=n_texts, reason=reason)
    prompt = prompts[sums.text]
    agreed = [len(np.unique(prompt[column > 0])) for column in sums.agreed.T]
    if min(agreed) < LEAST:
        return Estimate(float(value), n=n_texts, reason=FEW_AGREED)
    without = _alphas(left.draws.only(sums.text).rows(), sums)
    interval = jackknifed(value, without, left, "difference")
    df = np.minimum(interval.df, own_degrees(interval.deviation))
    return jackknife.estimate(replace(interval, df=df), n=n_texts, bounds=MOST)


def coincidences(
    pages: Pages, texts: Texts, *, unit: Unit, categories: bool = False
) -> Coincidences:
    """Sums of each continuum; arguments as of `alpha_interval`."""
    labels: dict[frozenset[str], int] = {frozenset(): 0}
    rows = []
    for text, side, page_rows in _continua(pages, texts):
        length = int(texts.sides[side][text])
        cuts = [
            pieces(pages.marks[row], side, length, categories=categories)
            for row in page_rows
        ]
        rows.append((text, _sums(cuts, length, labels, unit)))
    width = len(labels)
    return Coincidences(
        text=np.array([text for text, _ in rows], np.int64),
        disagreed=np.array([sums.disagreed for _, sums in rows], np.float64),
        lengths=np.array(
            [np.pad(sums.lengths, (0, width - len(sums.lengths))) for _, sums in rows],
            np.float64,
        ).reshape(-1, width),
        paired=np.array([sums.paired for _, sums in rows], np.float64),
        agreed=np.array([sums.agreed for _, sums in rows], np.int64).reshape(-1, 2),
    )


def pieces(marks: Marks, side: Side, length: int, *, categories: bool) -> list[Piece]:
    """Cut one side of a text at the borders of one person's marks.

    Args:
        marks: Of one person.
        side: Which of them count.
        length: Code points of that side.
        categories: As in `alpha_interval`.

    Returns:
        Units and gaps from 0 to the length, without a hole.

    >>> [(p.start, p.end) for p in pieces((Mark(1, 3), Mark(2, 4)), "text", 6,
    ...                                   categories=False)]
    [(0, 1), (1, 4), (4, 6)]
    """
    here = [mark for mark in marks if mark.side == side and mark.length]
    borders = {0, length, *(m.start for m in here), *(m.end for m in here)}
    cut: list[Piece] = []
    for start, end in _steps(sorted(borders)):
        over = [m for m in here if m.start <= start and end <= m.end]
        names = (m.category if categories else "marked" for m in over)
        label = frozenset(names)
        goes_on = not over or any(m.start < start for m in over)
        if cut and cut[-1].label == label and goes_on:
            cut[-1] = cut[-1]._replace(end=end)
        else:
            cut.append(Piece(start, end, label))
    return cut


def _steps(borders: list[int]) -> Iterator[tuple[int, int]]:
    return zip(borders, borders[1:], strict=False)


def _continua(pages: Pages, texts: Texts) -> Iterator[tuple[int, Side, np.ndarray]]:
    """Sides of texts with the pages of two people or more."""
    for text, rows in enumerate(pages.by_text(len(texts))):
        if len(rows) >= 2:
            for side, lengths in texts.sides.items():
                if lengths[text]:
                    yield text, side, rows


class _Sums(NamedTuple):
    """A row of `Coincidences`."""

    disagreed: float
    lengths: np.ndarray
    paired: float
    agreed: tuple[int, int]


def _sums(
    cuts: list[list[Piece]],
    length: int,
    labels: dict[frozenset[str], int],
    unit: Unit,
) -> _Sums:
    """Of one continuum."""
    for cut in cuts:
        for piece in cut:
            labels.setdefault(piece.label, len(labels))
    steps = np.zeros((len(labels), length + 1), np.int64)
    paired = 0
    for piece in (piece for cut in cuts for piece in cut):
        size = piece.end - piece.start
        steps[labels[piece.label], piece.start] += 1
        steps[labels[piece.label], piece.end] -= 1
        paired += size**2 if unit == "mark" and piece.label else size
    counts = np.cumsum(steps, axis=1)[:, :length]
    m = len(cuts)
    disagreed = (m * m * length - (counts**2).sum()) / (m - 1)
    alike = (counts * (counts - 1)).sum(axis=1)  # the first label is that of gaps
    agreed = int(alike[0]), int(alike[1:].sum())
    return _Sums(float(disagreed), counts.sum(axis=1), float(paired), agreed)


def _alphas(weights: np.ndarray, sums: Coincidences) -> np.ndarray:
    """Alpha of each replicate: weights (B, c) -> (B,), NaN = none."""
    lengths = weights @ sums.lengths
    total = lengths.sum(axis=1)
    expected = total**2 - (lengths**2).sum(axis=1)
    disagreed = (weights @ sums.disagreed) * (total**2 - weights @ sums.paired)
    ratio = np.full(len(total), np.nan)
    np.divide(disagreed, total * expected, out=ratio, where=expected > 0)
    return 1 - ratio
