"""The order of dialogues on a page."""

from __future__ import annotations

import numpy as np
from django.db.models import QuerySet

from annotation.models import Item, Place, Seat
from annotation.seats import talks


class DialogueSeating:
    def arrange(
        self, seat: Seat, items: QuerySet[Item], place: Place, rng: np.random.Generator
    ) -> None:
        """Dialogues in random order, each turn by turn."""
        seat.order = talks.in_order(items.select_related(*talks.READ), rng)
