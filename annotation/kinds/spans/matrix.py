"""Pages of marked texts as quality control looks at them: their ratings, as those of
any texts, and whether the damage was marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotation.kinds.ratings.matrix import RatingMatrix, answered, characters
from annotation.kinds.spans import damage, marks, stored_marks
from annotation.kinds.spans.damage import Damage
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.models import Item, Negative, Policy, Prompt
from annotation.models.texts import full_text
from annotation.page_kinds.matrix import Result, Submitted


@dataclass(frozen=True, slots=True)
class MarkMatrix(RatingMatrix):
    # How well the damage was marked, from -1 to 1; None: the page has none to mark.
    hit: float | None = field(default=None, kw_only=True)

    def own_checks(self, policy: Policy) -> dict[str, Result]:
        return {"damage": self._damage(policy.span_share)}

    def _damage(self, share: float | None) -> Result:
        if self.hit is None or share is None:
            return None
        percent = round(100 * self.hit, 1)
        reason = "" if percent >= share else "The damage was not marked."
        return reason, {"damage_marked": percent}


class MarkMatrices:
    def related(self, *, texts: bool) -> Sequence[str]:
        return ("negative__source", "survey__prompt")

    def read(self, pages: Submitted) -> Iterator[MarkMatrix]:
        marked = stored_marks.of_seats(pages.seats)
        damages: dict[int, Damage] = {}
        for seat in pages.seats:
            answers = answered(pages, seat)
            texts = marked.get(seat.pk, {})
            items = pages.shown(seat)
            if answers is None or not all(pk in texts for pk in items):
                continue
            hidden = next(
                (i for i in pages.items[seat.survey_id].values() if i.negative), None
            )
            yield MarkMatrix(
                **pages.sitting(seat),
                **answers,
                characters=characters(pages, seat),
                hit=_hit(hidden, texts.get(hidden.pk), damages) if hidden else None,
            )


def _hit(
    hidden: Item, marked: MarkedText | None, damages: dict[int, Damage]
) -> float | None:
    if hidden.negative is None or marked is None:
        return None
    if hidden.pk not in damages:
        damages[hidden.pk] = of_negative(hidden.negative, hidden.survey.prompt)
    if not damages[hidden.pk].n:
        return None
    right, _ = stored_marks.in_place(marked, {marks.TEXT: hidden.negative.text})
    return damage.hit(damages[hidden.pk], right)


def of_negative(negative: Negative, prompt: Prompt) -> Damage:
    """What was done to a damaged text, with the source that it was made of."""
    before, after = negative.source.text, negative.text
    start = marks.opening(prompt.prefix, after)
    if start and not marks.opening(prompt.prefix, before):
        before = full_text(prompt.prefix, before)
    return damage.find(before, after, start)
