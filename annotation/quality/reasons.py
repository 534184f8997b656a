"""Why a page is discarded, in a sentence with the numbers behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotation.models import Aspect, Policy
from annotation.quality.checked_pages import Sheet
from annotation.quality.odds import Odds
from annotation.surveys import estimating

if TYPE_CHECKING:
    from annotation.quality.checking import Compared

COMPARED_WITH = {
    Policy.Rule.ABOVE_ALL: "the best",
    Policy.Rule.ABOVE_MEAN: "the mean",
    Policy.Rule.ABOVE_ANY: "the worst",
}


def of_rule(name: str, found: Compared) -> str:
    means = found.real.mean(axis=1)
    limit = {
        Policy.Rule.ABOVE_ALL: means.max(),
        Policy.Rule.ABOVE_MEAN: means.mean(),
        Policy.Rule.ABOVE_ANY: means.min(),
    }[Policy.Rule(name)]
    texts = "1 real text" if len(means) == 1 else f"{len(means)} real texts"
    return (
        f"The damaged text got {found.negative.mean():.3g}, above"
        f" {COMPARED_WITH[Policy.Rule(name)]} of {texts} with {limit:.3g},"
        f" on {_named(found.aspects)}."
    )


def read_in(sheet: Sheet, fastest: float) -> str:
    characters = sheet.characters or 0
    usual = characters / estimating.CHARACTERS_PER_SECOND
    return (
        f"{characters:,} characters and was in view for {sheet.seconds:.0f} seconds;"
        f" reading takes about {usual:.0f}, and at {fastest:g} characters a second"
        f" {characters / fastest:.0f}."
    )


def by_chance(found: Odds, limit: float) -> str:
    times = f"{found.times:,.{0 if found.times >= 10 else 1}f}"
    said = (
        f"Over {found.pages} pages these answers are {times} times likelier"
        f" by chance than by reading; the limit is {limit:g}."
    )
    if found.difference is not None:
        said += f" Damaged texts against the others: {found.difference:+.2f} points."
    if found.slope is not None and found.slope_of_others is not None:
        said += (
            f" Where others differ by 1 point, this worker differs by"
            f" {found.slope:.2f}; one of the others by {found.slope_of_others:.2f}."
        )
    return said


def _named(aspects: list[Aspect]) -> str:
    titles = [
        aspect.title if aspect.higher_is_better else f"{aspect.title} (turned round)"
        for aspect in aspects
    ]
    if len(titles) == 1:
        return titles[0][:120]
    if len(titles) > 3:
        return f"the mean of {len(titles)} aspects"
    return f"the mean of {', '.join(titles[:-1])} and {titles[-1]}"[:150]
