"""The sides on which the texts of pairs stand."""

from __future__ import annotations

import numpy as np
from django.db.models import QuerySet

from annotation.models import Item, Place, Seat
from annotation.page_kinds.seating import Shuffled


class PairSeating(Shuffled):
    def arrange(
        self, seat: Seat, items: QuerySet[Item], place: Place, rng: np.random.Generator
    ) -> None:
        """Half of those who fill a survey see a pair in each order.

        The places of a survey are numbered in a row when they are made, and those who
        fill it keep theirs.
        """
        super().arrange(seat, items, place, rng)
        seat.flipped = [pk for pk in sorted(seat.order) if (pk + place.pk) % 2]
