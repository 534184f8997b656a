"""Two texts side by side: people and every metric, as figures 6 and 7 of CTRLEval.

Absolute values of metrics say little, so each comes with its rank among all texts of
the study that have it, 1 being the best, and with the text that it prefers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from django.db.models import Case, Count, FloatField, Q, QuerySet, Value, When

from annotation import human_scores, kept
from annotation.human_scores import HumanScores, Standing
from annotation.kept import Kept
from annotation.models import Aspect, Generation, Study
from scoring.metrics import Output
from scoring.models import Score, Signature
from scoring.results import ranked
from scoring.results.ranked import Ranked
from scoring.scores import option_sets
from scoring.scores.outputs import label, meant_for, outputs_of

Side = Literal["a", "b", "both", ""]  # "both": they are equal; "": not known

# SQLite joins at most 500 answers to one.
COUNTED_AT_ONCE = 100
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


def standings(*, study: Study) -> Kept[list[Standing]]:
    """What texts are ranked against; of a large study, as a worker found it last."""
    return kept.read(study=study, name="standings")


def people(
    *,
    study: Study,
    a: Generation,
    b: Generation,
    among: Sequence[Standing] = (),
) -> list[Judged]:
    """Mean ratings, and their ranks among those of all texts. Few queries."""
    human = human_scores.means(study=study, generations=sorted({a.pk, b.pk}))
    aspects = {aspect.key: aspect for aspect in study.aspects.all()}
    by_key = {one.aspect: one for one in among}
    return [
        _judged(aspects[key], human, column, (a, b), by_key.get(key))
        for column, key in enumerate(human.aspects)
    ]


def measured(
    *, study: Study, a: Generation, b: Generation, people: Sequence[Judged]
) -> list[Measured]:
    """Every output that scored one of the texts. Few queries, however many outputs."""
    found = Score.objects.filter(generation__in=[a, b]).select_related("signature")
    scores = {(s.signature_id, s.output, s.generation_id): s for s in found}
    signatures = {score.signature_id: score.signature for score in scores.values()}
    apart = option_sets.told_apart(study=study, signatures=signatures.values())
    pairs = [
        _Pair(signature, output, *both)
        for signature in sorted(signatures.values(), key=lambda s: (s.metric, s.pk))
        for output in outputs_of(signature)
        if any(
            both := [scores.get((signature.pk, output.key, text.pk)) for text in (a, b)]
        )
    ]
    among = ranked.known(study=study)
    lacking = [pair for pair in pairs if pair.key not in among]
    counted = _counted(study, lacking) | {
        pair.key: _looked_up(pair, among[pair.key])
        for pair in pairs
        if pair.key in among
    }
    return [
        _measured(pair, apart[pair.signature.pk], counted[pair.key], people)
        for pair in pairs
    ]


class _Pair(NamedTuple):
    """What one output gave to both texts; None: not scored."""

    signature: Signature
    output: Output
    a: Score | None
    b: Score | None

    @property
    def key(self) -> tuple[int, str]:
        return self.signature.pk, self.output.key


class _Counted(NamedTuple):
    """Of the texts that an output scored: all, and those above and equal to each."""

    of: int
    above_a: int
    equal_a: int
    above_b: int
    equal_b: int


def _looked_up(pair: _Pair, among: Ranked) -> _Counted:
    """What `_counted` would count."""
    numbers, of = [], 0
    for score in (pair.a, pair.b):
        less, equal, more = among.around(_value(score))
        above = less if pair.output.higher_is_better is False else more
        numbers += [above, equal]
        of = less + equal + more
    return _Counted(of, *numbers)


def _counted(study: Study, pairs: Sequence[_Pair]) -> dict[tuple[int, str], _Counted]:
    """What there is to count for all ranks: one query for every hundred signatures.

    Scores of a signature are read once, however many outputs it has.
    """
    together: dict[tuple[int, bool], list[_Pair]] = defaultdict(list)
    for pair in pairs:
        less_is_better = pair.output.higher_is_better is False
        together[pair.signature.pk, less_is_better].append(pair)
    asked = list(together.items())
    found = {}
    for start in range(0, len(asked), COUNTED_AT_ONCE):
        first, *others = [
            _counting(study, some, "lt" if less_is_better else "gt")
            for (_, less_is_better), some in asked[start : start + COUNTED_AT_ONCE]
        ]
        for signature, output, of, *numbers in first.union(*others, all=True):
            of_b = numbers[2:] or numbers  # nothing of its own where it is a
            found[signature, output] = _Counted(of, *numbers[:2], *of_b)
    return found


def _sides(pairs: Sequence[_Pair]) -> str:
    """A text beside itself is counted once."""
    return "a" if all(pair.a is pair.b for pair in pairs) else "ab"


def _counting(
    study: Study, pairs: Sequence[_Pair], better: str
) -> QuerySet[Score, Any]:
    """A row for each of these outputs of one signature: its key and `_Counted`."""
    counts: dict[str, Count] = {"of": Count("value")}
    for side in _sides(pairs):
        # Without a value there is no rank, and nobody reads these.
        own = {pair.output.key: _value(getattr(pair, side)) for pair in pairs}
        whens = [When(output=key, then=Value(value)) for key, value in own.items()]
        its_own = Case(*whens, output_field=FloatField())
        above = Q(**{f"value__{better}": its_own})
        counts[f"above_{side}"] = Count("pk", filter=above)
        counts[f"equal_{side}"] = Count("pk", filter=Q(value=its_own))
    keys = [pair.output.key for pair in pairs]
    rows = Score.objects.filter(
        signature=pairs[0].signature,
        output__in=keys,
        generation__in=study.generations.order_by().values("pk"),
    )
    grouped = rows.order_by().values("signature", "output")
    return grouped.annotate(**counts).values_list("signature", "output", *counts)


def _value(score: Score | None) -> float:
    return 0.0 if score is None or score.value is None else score.value


def _judged(
    aspect: Aspect,
    human: HumanScores,
    column: int,
    texts: tuple[Generation, Generation],
    among: Standing | None,
) -> Judged:
    row = {pk: n for n, pk in enumerate(human.generations.tolist())}

    def place(text: Generation) -> Place:
        at = row.get(text.pk)
        if at is None or np.isnan(human.values[at, column]):
            return Place(None, None, _why_unrated(text))
        value, n = float(human.values[at, column]), int(human.n_ratings[at, column])
        if among is None:
            return Place(value, None, "", n)
        less, equal, more = among.around(value)
        above = more if aspect.higher_is_better else less
        return Place(value, _rank(above, equal), "", n)

    first, second = place(texts[0]), place(texts[1])
    of = 0 if among is None else among.of
    return Judged(aspect, first, second, of, _liked(aspect, first, second))


def _liked(aspect: Aspect, a: Place, b: Place) -> Side:
    """Which text people prefer, whether or not ranks are known."""
    if a.value is None or b.value is None:
        return ""
    if a.value == b.value:
        return "both"
    return "a" if (a.value > b.value) == aspect.higher_is_better else "b"


def _why_unrated(text: Generation) -> str:
    return "the text is excluded" if text.excluded_at else "no valid rating"


def _measured(
    pair: _Pair, variant: str, counted: _Counted, people: Sequence[Judged]
) -> Measured:
    output = pair.output
    a = _place(output, pair.a, counted.above_a, counted.equal_a)
    b = _place(output, pair.b, counted.above_b, counted.equal_b)
    unranked = NO_DIRECTION if output.higher_is_better is None else ""
    prefers = _preferred(a, b)
    agrees, differs, undecided = _compared(output, prefers, people)
    return Measured(
        signature=pair.signature,
        output=output,
        label=label(pair.signature.metric, output.title),
        variant=variant,
        a=a,
        b=b,
        of=counted.of,
        prefers=prefers,
        unranked=unranked,
        agrees=agrees,
        differs=differs,
        undecided=unranked or undecided,
    )


def _place(output: Output, score: Score | None, above: int, equal: int) -> Place:
    if score is None:
        return Place(None, None, NOT_SCORED)
    if score.value is None or output.higher_is_better is None:
        return Place(score.value, None, score.reason)
    return Place(score.value, _rank(above, equal), score.reason)


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
    wanted = meant_for(output, [one.aspect.key for one in people])
    meant = [one for one in people if one.aspect.key == wanted]
    asked = [one for one in meant or people if one.prefers in ("a", "b")]
    agrees = [one.aspect.title for one in asked if one.prefers == prefers]
    differs = [one.aspect.title for one in asked if one.prefers != prefers]
    if prefers == "both":
        return [], [], "the metric gives both texts the same score"
    if prefers == "":
        return [], [], "one of the texts has no score"
    if not asked:
        return [], [], "people prefer neither text"
    return agrees, differs, ""
