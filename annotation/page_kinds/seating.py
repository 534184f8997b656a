"""How a page is laid out for the worker who gets it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from django.db.models import QuerySet

from annotation.models import Item, Place, Seat


class Seating(Protocol):
    def arrange(
        self, seat: Seat, items: QuerySet[Item], place: Place, rng: np.random.Generator
    ) -> None:
        """Set the order of these items, and all that stays as it is first shown."""


class Shuffled:
    """In random order."""

    def arrange(
        self, seat: Seat, items: QuerySet[Item], place: Place, rng: np.random.Generator
    ) -> None:
        seat.order = rng.permutation(list(items.values_list("pk", flat=True))).tolist()
