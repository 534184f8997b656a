"""Texts that one worker rated, for researchers: answers beside those of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Sum

from annotation import human_scores
from annotation.kinds import _review
from annotation.kinds._review import ItemReview, Original, ReviewedText
from annotation.models import Annotation, Aspect, Item, Seat, Study
from annotation.watching.figures import Figure
from annotation.watching.scale_answers import Answer

# Mean and number of the other ratings that count, by item and aspect.
Others = defaultdict[tuple[int, int], tuple[Figure, int]]


@dataclass(frozen=True, slots=True)
class RatedText(ReviewedText):
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class RatedTexts:
    """All of a page, in the order shown."""

    aspects: Sequence[Aspect]
    texts: list[RatedText]
    original: Original | None
    n: int
    characters: int
    template: str = "annotation/watching/_rated_texts.html"

    @property
    def n_asked(self) -> int:
        return sum(answer.is_asked for text in self.texts for answer in text.answers)


class TextReview(ItemReview):
    """Of pages on which texts of one prompt are rated."""

    text: type[RatedText] = RatedText

    def answers(
        self, study: Study, seat: Seat, aspects: Sequence[Aspect]
    ) -> RatedTexts:
        """Six queries."""
        items = self.items(seat)
        return RatedTexts(
            aspects=aspects,
            texts=self._texts(study, seat, items, aspects),
            original=_review.original(study, items, aspects),
            n=seat.annotations.count(),
            characters=self.characters(seat, items),
        )

    def items(self, seat: Seat) -> list[Item]:
        return _review.items(seat)

    def characters(self, seat: Seat, items: Sequence[Item]) -> int:
        return _review.characters(seat, items)

    def is_asked(self, aspect: Aspect, item: Item) -> bool:
        return not aspect.is_of_dialogue

    def _texts(
        self,
        study: Study,
        seat: Seat,
        items: Sequence[Item],
        aspects: Sequence[Aspect],
    ) -> list[RatedText]:
        rows = seat.annotations.order_by().values_list("item_id", "aspect_id", "value")
        own = {(item, aspect): value for item, aspect, value in rows}
        others, reports = _others(study, seat, items), _review.reports(seat)
        texts = []
        for position, item in enumerate(items, start=1):
            answers = [
                Answer(
                    aspect,
                    own.get((item.pk, aspect.pk)),
                    *others[item.pk, aspect.pk],
                    *aspect.ends,
                    cannot_say=own.get((item.pk, aspect.pk), 0) is None,
                    is_asked=self.is_asked(aspect, item),
                )
                for aspect in aspects
            ]
            view = _review.view(seat, position, _review.behind(seat, item))
            texts.append(
                self.text(position, item, *view, reports.get(item.pk, []), answers)
            )
        return texts


def _others(study: Study, seat: Seat, items: Sequence[Item]) -> Others:
    texts = {item.generation_id: item.pk for item in items if item.generation_id}
    damaged = {item.negative_id: item.pk for item in items if item.negative_id}
    of_texts = human_scores.ratings(study=study, with_excluded=True).filter(
        generation__in=texts
    )
    of_damaged = Annotation.objects.filter(
        negative__in=damaged,
        seat__state=Seat.State.VALID,
        seat__informed=False,
        value__isnull=False,
    ).order_by()
    nobody = Figure(None, "nobody else has a valid rating"), 0
    others: Others = defaultdict(lambda: nobody)
    for rows, field, item_of in (
        (of_texts, "generation_id", texts),
        (of_damaged, "negative_id", damaged),
    ):
        theirs = rows.exclude(seat=seat).values_list(field, "aspect_id")
        for text, aspect, total, n in theirs.annotate(Sum("value"), Count("pk")):
            others[item_of[text], aspect] = Figure(total / n), n
    return others
