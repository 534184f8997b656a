"""What the monitor says of stopping a study, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.models import Study
from annotation.watching.system_pairs import Compared, Progress

MOST_NAMED = 5  # pairs in a sentence
CLOSED = "The study is closed"
KNOWN = "known with 95 % confidence"
OFTEN = f"{KNOWN}, however often you looked"

OF_PART = (
    "Do not stop this study early: it collects ratings for only a random part of its"
    " texts, and “Saved ratings” needs the ratings of all texts that were drawn."
)


def no_pairs(n: int, most: int) -> str:
    """Why nothing is compared."""
    if n < 2:
        return (
            "Collect what you planned: the study has fewer than two systems, so there"
            " is no order to find."
        )
    return (
        f"Collect what you planned: the study has {n} systems, and this panel compares"
        f" up to {most}. With more, the intervals of so many pairs would be too wide to"
        " be useful."
    )


def sentence(
    pairs: Sequence[Compared], progress: Progress, is_closed: bool = False
) -> str:
    """The answer: may it be stopped, and for which pairs?"""
    prompts = progress.prompts
    if not prompts and is_closed:
        return f"{CLOSED}: the first prompt in random order was never completed."
    if not prompts:
        return "It is too early to stop: the first prompt is still open."
    certain = [pair for pair in pairs if pair.sign]
    n = f"{len(prompts)} prompt{'' if len(prompts) == 1 else 's'}"
    all_in = progress.n_counted == progress.n_prompts
    is_over = all_in or is_closed  # nothing is left to stop
    count = "counts" if len(prompts) == 1 else "count"
    all_rated = f"All ratings are in ({n})" if all_in else f"{CLOSED} ({n} {count})"
    more = "It would take more prompts."
    if progress.is_cut:
        n = f"the first {n} in random order"
        all_rated = f"{'All ratings are in' if all_in else CLOSED} ({n} count)"
        more = "This panel compares no more than these."
    if not certain:
        which = f"{_named(pairs)} is not" if len(pairs) == 1 else "no two systems is"
        open_ = f"the order of {which} {KNOWN}."
        if is_over:
            return f"{all_rated}: {open_} {more}"
        if progress.is_cut:
            return f"After {n}, {open_} {more}"
        return f"It is too early to stop: after {n}, {open_}"
    if len(certain) == len(pairs):
        which = _named(pairs) if len(pairs) == 1 else f"all {len(pairs)} pairs"
        begin = all_rated if is_over else "You can stop"
        return f"{begin}: the order of {which} is {OFTEN}."
    some = f"{len(certain)} of {len(pairs)} pairs"
    if is_over:
        return f"{all_rated}: the order of {some} is {OFTEN}: {_named(certain)}."
    return (
        f"You can stop if {some} are enough: the order of {_named(certain)} is {OFTEN}."
        " The order of the others is not."
    )


def more(study: Study, progress: Progress) -> str:
    """How far it is, and what stopping would save."""
    if progress.n_counted == progress.n_prompts:
        return ""
    words = (
        f"{progress.n_closed} of {progress.n_prompts} prompts"
        f" {'has' if progress.n_closed == 1 else 'have'} all their ratings. Only"
        " prompts before the first open one in random order count:"
        f" {progress.n_counted}."
    )
    if progress.is_cut:
        words += f" Of these, the first {len(progress.prompts)} are compared."
    if progress.n_pages_left and study.state != Study.State.CLOSED:
        words += (
            f" Stopping now would save {progress.n_pages_left} of"
            f" {progress.n_pages} pages."
        )
    if not study.one_by_one:
        words += (
            " This study collects ratings for all prompts at once, so prompts are"
            " completed late. Next time, collect ratings one prompt at a time."
        )
    return words


def _named(pairs: Sequence[Compared]) -> str:
    shown = [f"{pair.first} and {pair.second}" for pair in pairs[:MOST_NAMED]]
    if len(pairs) > MOST_NAMED:
        shown.append(f"{len(pairs) - MOST_NAMED} more")
    if len(shown) == 1:
        return shown[0]
    return f"{', of '.join(shown[:-1])} and of {shown[-1]}"
