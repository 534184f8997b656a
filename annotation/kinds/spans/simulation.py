"""How simulated workers mark errors: the damage, if they see it, and errors of a text.

A text has the same errors for everybody, more of them the worse it is. Readers miss
some, and mark other places, too. Who reads nothing ticks "Nothing to mark", or marks by
chance.
"""

from __future__ import annotations

import zlib

import numpy as np

from annotation.kinds._simulation import TextSimulation, true_quality
from annotation.kinds.spans import marks, schemes, sides
from annotation.kinds.spans.answers import MARKED, low_answers
from annotation.kinds.spans.damage import Damage
from annotation.kinds.spans.marks import TEXT, Placed
from annotation.kinds.spans.matrix import of_negative
from annotation.kinds.spans.scheme import Scheme
from annotation.kinds.spans.sides import MarkedUnit, Side
from annotation.kinds.spans.stored_marks import Sent
from annotation.models import Item, Study
from annotation.page_kinds import Answers, Rater, SimulatedPage
from annotation.quality.rater_kinds import BLIND, KINDS
from evalapp import seeds
from evalapp.seeds import OfStudy
from scoring.stats.spans.marks import Mark

# Share of damaged texts that they see to be damaged.
NOTICES = {"careful": 0.98, "noisy": 0.85, "lazy": 0.3}
# Share of the errors that they find, and marks in other places, on average in a text.
FINDS = {"careful": 0.8, "noisy": 0.6, "lazy": 0.3}
INVENTS = {"careful": 0.3, "noisy": 0.6, "lazy": 0.6}
WORST = 4.0  # marks, on average, in a text of the lowest quality
BEST, RANGE = 5.0, 4.0  # of quality
LONGEST = 3  # words of a mark


class MarkSimulation(TextSimulation):
    seconds_per_answer = 8

    def answers(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> Answers:
        values = self.values(page, rater, rng)
        units, study = sides.of_seat(page.seat), page.study
        scheme, (first, below) = schemes.of_study(study), low_answers(study)
        ticks = rater.kind in BLIND and rng.random() < BLIND[rater.kind]
        answers: dict[tuple[int, str], object] = {}
        for position, judged in enumerate(page.items, start=1):
            numbers = {
                aspect.key: int(point)
                for aspect, point in zip(
                    page.aspects, values[position - 1], strict=True
                )
                if not aspect.is_of_dialogue
            }
            is_low = below is not None and numbers.get(first, below) < below
            placed = (
                []
                if ticks
                else _marked(page, judged, units[position], scheme, rater, rng)
            )
            if is_low and not placed:
                placed = _by_chance(units[position].sides[TEXT], 1, scheme, rng)
            answers[position, MARKED] = Sent(placed, not placed)
            answers |= {(position, key): point for key, point in numbers.items()}
        return answers


def _marked(
    page: SimulatedPage,
    judged: Item,
    unit: MarkedUnit,
    scheme: Scheme,
    rater: Rater,
    rng: np.random.Generator,
) -> list[Placed]:
    side = unit.sides[TEXT]
    if rater.kind not in KINDS:
        return _by_chance(side, 1, scheme, rng)
    if judged.negative is not None:
        damage = of_negative(judged.negative, page.seat.survey.prompt)
        if rng.random() < NOTICES[rater.kind]:
            return _on_damage(damage, side, scheme, rng)
    mean = float(np.mean(true_quality(page, judged))) if page.aspects else RANGE
    errors = true_errors(page.study, side, mean, scheme)
    found = [error for error in errors if rng.random() < FINDS[rater.kind]]
    invented = _by_chance(side, int(rng.poisson(INVENTS[rater.kind])), scheme, rng)
    return list(dict.fromkeys([*found, *invented]))[: scheme.most or marks.MOST]


def true_errors(
    study: Study, side: Side, quality: float, scheme: Scheme
) -> list[Placed]:
    """What there is to be found in a text, the same for all who read it.

    Args:
        study: Whose seed decides.
        side: The text.
        quality: Mean of its true qualities, from 1 to 5.
        scheme: What an error may be.
    """
    rng = seeds.rng(study.seed, OfStudy.ERRORS, zlib.crc32(side.stored.encode()))
    worse = min(max((BEST - quality) / RANGE, 0.0), 1.0)
    return _by_chance(side, int(rng.poisson(worse * WORST)), scheme, rng)


def _on_damage(
    damage: Damage, side: Side, scheme: Scheme, rng: np.random.Generator
) -> list[Placed]:
    """A mark on each run of damaged words, and on a word where some are gone."""
    runs: list[list[int]] = []
    for n in sorted({*damage.words, *(max(0, gap - 1) for gap in damage.gaps)}):
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    places = damage.places
    spans = [(places[run[0]][0], places[run[-1]][1]) for run in runs if places]
    return [_as_shown(start, end, side, scheme, rng) for start, end in spans][
        : scheme.most or marks.MOST
    ]


def _by_chance(
    side: Side, n: int, scheme: Scheme, rng: np.random.Generator
) -> list[Placed]:
    """So many marks on words of the text, each at another place."""
    n = min(n, len(side.words), scheme.most or marks.MOST)
    placed = []
    for low in sorted(rng.choice(len(side.words), n, replace=False).tolist()):
        high = min(low + int(rng.integers(LONGEST)), len(side.words) - 1)
        start, end = side.words[low][0], side.words[high][1]
        mark = Mark(start, end, *_kind(scheme, rng))
        placed.append(Placed(mark, side.shown[start:end]))
    return placed


def _as_shown(
    start: int, end: int, side: Side, scheme: Scheme, rng: np.random.Generator
) -> Placed:
    mark = Mark(start, end, *_kind(scheme, rng))
    return marks.as_shown(Placed(mark, side.stored[start:end]), side.stored)


def _kind(scheme: Scheme, rng: np.random.Generator) -> tuple[str, str]:
    """A category and a severity."""
    lists = scheme.categories, scheme.severities
    return tuple(  # type: ignore[return-value]
        names[int(rng.integers(len(names)))].key if names else "" for names in lists
    )
