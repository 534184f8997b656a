"""Why a page is discarded, in a sentence with the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.careless.odds import Odds
from annotation.models import Aspect, Policy
from annotation.page_kinds.matrix import Compared, PageMatrix
from annotation.surveys import estimating

COMPARED_WITH = {
    Policy.Rule.ABOVE_ALL: "the best",
    Policy.Rule.ABOVE_MEAN: "the mean",
    Policy.Rule.ABOVE_ANY: "the worst",
}


def of_rule(name: str, found: Compared, unit: str = "") -> str:
    means = found.real.mean(axis=1)
    limit = {
        Policy.Rule.ABOVE_ALL: means.max(),
        Policy.Rule.ABOVE_MEAN: means.mean(),
        Policy.Rule.ABOVE_ANY: means.min(),
    }[Policy.Rule(name)]
    texts = "1 real text" if len(means) == 1 else f"{len(means)} real texts"
    return (
        f"The damaged text got {found.negative.mean():.3g}{unit}, above"
        f" {COMPARED_WITH[Policy.Rule(name)]} of {texts} with {limit:.3g}{unit},"
        f" on {named(found.aspects)}."
    )


def of_same(page: PageMatrix, is_mixed: bool) -> str:
    """Without the full stop. Where scales differ, each has its own answer."""
    first = page.as_given.flat[0]
    if page.words and not np.isnan(first):
        return f"Every answer on the page is “{page.words[int(first)]}”"
    if is_mixed:
        return "Every answer on the page is the same, on each of its scales"
    said = "“Cannot say”" if np.isnan(first) else f"{first:g}"
    return f"Every answer on the page is {said}"


def read_in(page: PageMatrix, fastest: float) -> str:
    characters = page.characters or 0
    usual = characters / estimating.CHARACTERS_PER_SECOND
    return (
        f"{characters:,} characters and was in view for {page.seconds:.0f} seconds."
        f" Reading it takes about {usual:.0f} seconds, and {characters / fastest:.0f}"
        f" at the limit of {fastest:g} characters per second."
    )


def by_chance(found: Odds, limit: float, unit: str = "") -> str:
    times = f"{found.times:,.{0 if found.times >= 10 else 1}f}"
    said = (
        f"Over {found.pages} pages these answers are {times} times as likely to be"
        f" random as to come from reading. The limit is {limit:g}."
    )
    if found.difference is not None:
        said += f" They rate damaged texts {_apart(found.difference, unit)}."
    if found.slope is not None and found.slope_of_others is not None:
        said += (
            f" Where others differ by 1 point, this worker differs by"
            f" {found.slope:.2f}, and one of the others by"
            f" {found.slope_of_others:.2f}."
        )
    if (found.difference or 0) > 0 and (found.slope or 0) < 0:
        said += " Perhaps this worker read the scale in reverse: ask before you decide."
    return said


def _apart(difference: float, unit: str) -> str:
    if round(difference, 2) == 0:
        return "as high as others"
    side = "higher" if difference > 0 else "lower"
    points = f"points{' of 100' if unit else ''}"
    return f"{abs(difference):.2f} {points} {side} than others"


def named(aspects: list[Aspect], *, turned: bool = True) -> str:
    titles = [
        f"{aspect.title} (turned round)"
        if turned and not aspect.higher_is_better
        else aspect.title
        for aspect in aspects
    ]
    if len(titles) == 1:
        return titles[0][:120]
    if len(titles) > 3:
        return f"the mean of {len(titles)} aspects"
    return f"the mean of {', '.join(titles[:-1])} and {titles[-1]}"[:150]


def named_by_keys(keys: Sequence[str], titles: Mapping[str, str]) -> str:
    """Aspects that a verdict names, in full; some may have another title by now."""
    names = [titles.get(key, key) for key in keys]
    if len(names) == 1:
        return names[0]
    return f"the mean of {', '.join(names[:-1])} and {names[-1]}" if names else "—"
