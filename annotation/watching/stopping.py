"""Whether a study may be stopped: which systems differ for certain, at every look.

The unit is a prompt. It is closed once each of its pages has all its valid ratings.
Counted are closed prompts in the random order that was drawn before the first rating,
up to the first that is open, and none behind it: prompts that close early may be the
easy ones, or those that quick workers liked, and a mean of such prompts is no mean of
all. What comes later only ever makes this sequence longer: new prompts stand behind all
others, and new texts for an earlier prompt count only of systems that had none at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from math import comb
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Min
from django.db.models.functions import Coalesce

from annotation import human_scores
from annotation.kept import Kept
from annotation.kept import read as read_kept
from annotation.models import Aspect, Generation, Item, Seat, Study, Survey
from annotation.surveys import prompt_order
from annotation.watching import more_ratings, stopping_words
from annotation.watching.monitor import computed_once
from annotation.watching.stopping_chart import Chart, Look, chart
from annotation.watching.system_pairs import Compared, Progress
from scoring.stats import sequences

# What is computed while someone waits for the page: a tenth of a second.
MOST_SYSTEMS = 20
MOST_PROMPTS = 2000
MOST_LOOKS = 40  # of the chart, evenly over the prompts


class Found(NamedTuple):
    """Of one question, with the chart of one pair."""

    sentence: str
    more: str
    bring: str  # what more ratings would; empty where none can be asked for
    progress: Progress
    pairs: list[Compared]
    is_one_sequence: bool = True  # False: it is not known what came later
    chosen: Compared | None = None
    chart: Chart | None = None


class Stopping(NamedTuple):
    """The panel of the monitor."""

    aspect: Aspect
    aspects: list[Aspect]
    kept: Kept[Found]

    @property
    def found(self) -> Found | None:
        return self.kept.value


def read(*, study: Study, aspect: str = "", pair: str = "") -> Stopping | None:
    """The panel, of one question and with the chart of one pair.

    None where no page asks about texts of one prompt. Sixteen queries, and most of them
    not again until a page is judged or a decision is made.

    Args:
        study: Which one.
        aspect: Key of the question; the first if there is no such.
        pair: Number of the pair; the first that is open, else the first.
    """
    found = list(study.aspects.filter(about=Aspect.About.TEXT))
    if not (study.rates_single_texts and found):
        return None
    asked = next((one for one in found if one.key == aspect), found[0])
    variant = (
        f"{asked.pk}/{_number_of(pair, study)}/{study.ratings_per_text}/{study.state}"
    )
    return Stopping(
        asked, found, read_kept(study=study, name="stopping", variant=variant)
    )


def _number_of(pair: str, study: Study) -> int:
    """-1 where there is no such pair: what is worked out for each number is kept."""
    number = int(pair) if pair.isascii() and pair.isdecimal() and len(pair) < 4 else -1
    systems = study.systems.count()
    there = comb(systems, 2) if systems <= MOST_SYSTEMS else 0
    return number if number < there else -1


def found(study: Study, variant: str) -> Found:
    """For `kept`: question, pair, and what else the figures depend on."""
    asked, number, *_ = variant.split("/")
    return computed_once(
        study=study,
        name=f"stopping-{variant}",
        compute=lambda: _computed(study, study.aspects.get(pk=int(asked)), int(number)),
    )


def _computed(study: Study, aspect: Aspect, number: int) -> Found:
    progress = closed(study=study)
    systems = list(study.systems.all())
    names = [system.name for system in systems]
    reason, pairs, chosen, drawn = "", [], None, None
    if study.rates_part:
        reason = stopping_words.OF_PART
    elif 2 <= len(systems) <= MOST_SYSTEMS:
        ids = [system.pk for system in systems]
        table = _table(study, aspect, progress.prompts, ids)
        low, high = aspect.ends
        level = sequences.level_of_pair(len(sequences.pairs(len(ids))))
        pairs = compared(table, names, high - low, level)
        chosen = _chosen(pairs, number)
        if chosen is not None:
            a, b = sequences.pairs(len(ids))[chosen.number]
            drawn = chart(looks(table[:, a] - table[:, b], high - low, level))
    else:
        reason = stopping_words.no_pairs(len(systems), MOST_SYSTEMS)
    return Found(
        sentence=reason
        or stopping_words.sentence(pairs, progress, study.state == Study.State.CLOSED),
        more=stopping_words.more(study, progress),
        bring=more_ratings.sentence(study=study, aspect=aspect),
        progress=progress,
        pairs=pairs,
        is_one_sequence=prompt_order.is_kept(study),
        chosen=chosen,
        chart=drawn,
    )


def closed(*, study: Study) -> Progress:
    """Which prompts have all their ratings, as far as they count. Three queries.

    A page whose every text is excluded is left out: nobody is asked to rate it.
    """
    shown = Item.objects.filter(
        survey__study=study,
        survey__kind__in=prompt_order.kinds(),
        generation__isnull=False,
        generation__excluded_at=None,
    )
    pages = dict(shown.order_by().values_list("survey", "survey__prompt").distinct())
    seats = Seat.objects.filter(survey__study=study, state=Seat.State.VALID)
    rated = seats.order_by().values_list("survey").annotate(n=Count("pk"))
    wanted, valid = study.ratings_per_text, dict(rated)
    is_open = {at for page, at in pages.items() if valid.get(page, 0) < wanted}
    order = prompt_order.of_all(study)
    prompts = sorted(set(pages.values()), key=lambda pk: (order[pk], pk))
    counted = list(takewhile(lambda pk: pk not in is_open, prompts))
    left = sum(max(0, wanted - valid.get(page, 0)) for page in pages)
    return Progress(
        prompts=counted[:MOST_PROMPTS],
        n_counted=len(counted),
        n_closed=len(prompts) - len(is_open),
        n_prompts=len(prompts),
        n_pages=len(pages) * wanted,
        n_pages_left=left,
    )


def _table(
    study: Study, aspect: Aspect, prompts: Sequence[int], systems: Sequence[int]
) -> np.ndarray:
    """Mean rating of each system's texts for each prompt, (n, systems), NaN = none."""
    rows = _first_texts(study, prompts, systems)
    scores = human_scores.means(study=study)
    column = scores.aspects.index(aspect.key)
    row = {pk: n for n, pk in enumerate(prompts)}
    at = {pk: n for n, pk in enumerate(systems)}
    total, n = np.zeros((2, len(row), len(at)))
    for pk, value in zip(
        scores.generations.tolist(), scores.values[:, column], strict=True
    ):
        if pk in rows and not np.isnan(value):
            prompt, system = rows[pk]
            total[row[prompt], at[system]] += value
            n[row[prompt], at[system]] += 1
    means = np.full(total.shape, np.nan)
    np.divide(total, n, out=means, where=n > 0)
    return means


def _first_texts(
    study: Study, prompts: Sequence[int], systems: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Prompt and system of each text that counts. Three queries.

    Those on the first pages of their prompt, or on the first of their system: its pairs
    begin with all of these at once. Any other text would come between prompts that
    somebody may have looked at already.
    """
    texts = Generation.objects.filter(
        items__survey__kind__in=prompt_order.kinds(),
        study=study,
        system__in=systems,
        excluded_at=None,
    ).order_by()
    batch = Coalesce("items__survey__batch", prompt_order.FIRST)
    of_system = dict(texts.values_list("system").annotate(first=Min(batch)))
    pages = Survey.objects.filter(
        kind__in=prompt_order.kinds(), prompt__in=prompts
    ).order_by()
    of_prompt = dict(
        pages.values_list("prompt").annotate(
            first=Min(Coalesce("batch", prompt_order.FIRST))
        )
    )
    rows = texts.filter(prompt__in=prompts).values_list("pk", "prompt", "system", batch)
    return {
        pk: (prompt, system)
        for pk, prompt, system, drawn in rows
        if drawn in (of_prompt[prompt], of_system[system])
    }


def compared(
    table: np.ndarray, names: Sequence[str], width: float, level: float
) -> list[Compared]:
    """Each two systems after the last prompt.

    Args:
        table: Means of prompts and systems, (n, systems), in the order of the looks.
        names: Of the systems.
        width: Length of the scale.
        level: Of each pair.
    """
    both = sequences.pairs(len(names))
    first, second = np.array(both).T
    d = _within((table[:, first] - table[:, second]).T, width)
    found = sequences.interval(d, width=width, alpha=level)
    return [
        Compared(
            number=number,
            first=names[a],
            second=names[b],
            n=int((~np.isnan(d[number])).sum()),
            mean=_mean(d[number]),
            low=_number(found.low[number]),
            high=_number(found.high[number]),
            sign=int(found.sign[number]),
        )
        for number, (a, b) in enumerate(both)
    ]


def looks(d: np.ndarray, width: float, level: float) -> list[Look]:
    """The sequence of one pair after some of the prompts, the last among them."""
    n = len(d)
    at = sorted({round(n * k / MOST_LOOKS) for k in range(1, MOST_LOOKS + 1)} - {0})
    found = []
    for k in at:
        ends = sequences.interval(_within(d[:k], width), width=width, alpha=level)
        low, high = _number(ends.low), _number(ends.high)
        found.append(Look(k, _mean(d[:k]), low, high))
    return found


def _within(d: np.ndarray, width: float) -> np.ndarray:
    """Without what a file has rated outside the scale: it has no bound."""
    kept: np.ndarray = np.where(np.abs(d) <= width * (1 + 1e-9), d, np.nan)
    return kept


def _chosen(pairs: Iterable[Compared], number: int) -> Compared | None:
    some = [pair for pair in pairs if pair.n]
    asked = [pair for pair in some if pair.number == number]
    undecided = [pair for pair in some if not pair.sign]
    return next(iter([*asked, *undecided, *some]), None)


def _mean(d: np.ndarray) -> float | None:
    known = d[~np.isnan(d)]
    return float(known.mean()) if len(known) else None


def _number(end: np.ndarray) -> float | None:
    return None if np.isnan(end) else float(end)
