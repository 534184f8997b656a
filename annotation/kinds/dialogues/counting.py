from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Q

from annotation.models import Aspect, Item, Seat
from annotation.page_kinds.counting import RatingCounting


class DialogueCounting(RatingCounting):
    """Turns are asked other questions than whole dialogues; copies never count."""

    texts: Sequence[str] = ("generation", "decoy")
    uncounted: Sequence[str] = ("decoy",)

    def n_wanted(self, seat: Seat, n_aspects: Mapping[str, int]) -> int:
        wholes = Q(generation__turn=None, generation__dialogue__isnull=False)
        wholes |= Q(decoy__turn=None, decoy__isnull=False)
        n_wholes = Item.objects.filter(wholes, pk__in=seat.order).count()
        n_turns = len(seat.order) - n_wholes
        of_text = n_aspects.get(Aspect.About.TEXT, 0)
        return n_turns * of_text + n_wholes * n_aspects.get(Aspect.About.DIALOGUE, 0)
