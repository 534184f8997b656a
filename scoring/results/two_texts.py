"""Two texts side by side: people and every metric, as figures 6 and 7 of CTRLEval.

Absolute values of metrics say little, so each comes with its rank among all texts of
the study that have it, 1 being the best, and with the text that it prefers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from django.db.models import Count, Q

from annotation import human_scores
from annotation.models import Aspect, Generation, Study
from scoring import meta_evaluation, variants
from scoring.metrics import Output
from scoring.models import Score, Signature

Side = Literal["a", "b", "both", ""]  # "both": they are equal; "": not known

NOT_SCORED = "not scored"
NO_DIRECTION = "closeness to human text is what counts, so one text has no rank"


class Place(NamedTuple):
    """A value and its rank; equal values share the mean of their ranks."""

    value: float | None
    rank: float | None
    reason: str = ""  # why there is no value
    n_ratings: int = 0  # of a human score; 0: it came as a mean


@dataclass(frozen=True, slots=True)
class Judged:
    """What people say of both texts on one aspect."""

    aspect: Aspect
    a: Place
    b: Place
    of: int  # texts with a rank
    prefers: Side


@dataclass(frozen=True, slots=True)
class Measured:
    """What one output of a metric says of both texts, and whether people say so too."""

    signature: Signature
    output: Output
    label: str
    variant: str
    a: Place
    b: Place
    of: int
    prefers: Side
    unranked: str  # why there are no ranks
    agrees: list[str]  # titles of the aspects on which people prefer the same text
    differs: list[str]  # and the other one
    undecided: str  # why neither can be said

    @property
    def whole(self) -> bool:
        values = [one.value for one in (self.a, self.b) if one.value is not None]
        return all(value == round(value) for value in values)


def people(*, study: Study, a: Generation, b: Generation) -> list[Judged]:
    """Mean ratings and their ranks. The queries of `human_scores.means`."""
    human = human_scores.means(study=study)
    aspects = {aspect.key: aspect for aspect in study.aspects.all()}
    return [
        _judged(aspects[key], human, column, a, b)
        for column, key in enumerate(human.aspects)
    ]


def measured(
    *, study: Study, a: Generation, b: Generation, people: Sequence[Judged]
) -> list[Measured]:
    """Every output that scored one of the texts. One query for each, and three more."""
    found = Score.objects.filter(generation__in=[a, b]).select_related("signature")
    scores = {(s.signature_id, s.output, s.generation_id): s for s in found}
    signatures = {score.signature_id: score.signature for score in scores.values()}
    apart = variants.told_apart(study=study, signatures=signatures.values())
    return [
        _measured(
            study,
            signature,
            output,
            apart[signature.pk],
            [scores.get((signature.pk, output.key, text.pk)) for text in (a, b)],
            people,
        )
        for signature in sorted(signatures.values(), key=lambda s: (s.metric, s.pk))
        for output in meta_evaluation.outputs_of(signature)
        if any((signature.pk, output.key, text.pk) in scores for text in (a, b))
    ]


def _judged(
    aspect: Aspect,
    human: human_scores.HumanScores,
    column: int,
    a: Generation,
    b: Generation,
) -> Judged:
    values = human.values[:, column]
    known = values[~np.isnan(values)]

    def place(text: Generation) -> Place:
        at = np.searchsorted(human.generations, text.pk)
        here = at < len(values) and human.generations[at] == text.pk
        if not here or np.isnan(values[at]):
            return Place(None, None, _why_unrated(text))
        above = known > values[at] if aspect.higher_is_better else known < values[at]
        rank = _rank(int(above.sum()), int((known == values[at]).sum()))
        return Place(float(values[at]), rank, "", int(human.n_ratings[at, column]))

    first, second = place(a), place(b)
    return Judged(aspect, first, second, len(known), _preferred(first, second))


def _why_unrated(text: Generation) -> str:
    return "the text is excluded" if text.excluded_at else "no valid rating"


def _measured(
    study: Study,
    signature: Signature,
    output: Output,
    variant: str,
    scores: Sequence[Score | None],
    people: Sequence[Judged],
) -> Measured:
    a, b, of = _places(study, signature, output, scores)
    unranked = NO_DIRECTION if output.higher_is_better is None else ""
    prefers = _preferred(a, b)
    agrees, differs, undecided = _compared(output, prefers, people)
    return Measured(
        signature=signature,
        output=output,
        label=meta_evaluation.label(signature.metric, output.title),
        variant=variant,
        a=a,
        b=b,
        of=of,
        prefers=prefers,
        unranked=unranked,
        agrees=agrees,
        differs=differs,
        undecided=unranked or undecided,
    )


def _places(
    study: Study,
    signature: Signature,
    output: Output,
    scores: Sequence[Score | None],
) -> tuple[Place, Place, int]:
    """Both ranks by one query that counts what is above and what is equal."""
    values = [score.value if score else None for score in scores]
    reasons = [score.reason if score else NOT_SCORED for score in scores]
    better = "lt" if output.higher_is_better is False else "gt"
    counts = {"of": Count("value")}
    for side, value in zip("ab", values, strict=True):
        if value is not None:
            above = Q(**{f"value__{better}": value})
            counts[f"above_{side}"] = Count("pk", filter=above)
            counts[f"equal_{side}"] = Count("pk", filter=Q(value=value))
    rows = Score.objects.filter(signature=signature, output=output.key)
    found = rows.filter(generation__study=study).aggregate(**counts)

    def place(side: str, value: float | None, reason: str) -> Place:
        if value is None or output.higher_is_better is None:
            return Place(value, None, reason)
        rank = _rank(found[f"above_{side}"], found[f"equal_{side}"])
        return Place(value, rank, reason)

    a, b = map(place, "ab", values, reasons)
    return a, b, found["of"]


def _rank(above: int, equal: int) -> float:
    """1 for the best. Equal values, this one among them, share their mean rank."""
    return above + (equal + 1) / 2


def _preferred(a: Place, b: Place) -> Side:
    if a.rank is None or b.rank is None:
        return ""
    if a.rank == b.rank:
        return "both"
    return "a" if a.rank < b.rank else "b"


def _compared(
    output: Output, prefers: Side, people: Sequence[Judged]
) -> tuple[list[str], list[str], str]:
    """Aspects on which people prefer the same text, the other one; else why not."""
    meant = [one for one in people if one.aspect.key == output.measures]
    asked = [one for one in meant or people if one.prefers in ("a", "b")]
    agrees = [one.aspect.title for one in asked if one.prefers == prefers]
    differs = [one.aspect.title for one in asked if one.prefers != prefers]
    if prefers == "both":
        return [], [], "the metric gives both texts the same"
    if prefers == "":
        return [], [], "one of the texts has no score"
    if not asked:
        return [], [], "people prefer neither text"
    return agrees, differs, ""
