"""The order of dialogues on a page."""

from __future__ import annotations

import numpy as np
from django.db.models import QuerySet

from annotation.kinds.dialogues import conversations
from annotation.models import Item, Place, Seat


class DialogueSeating:
    def arrange(
        self, seat: Seat, items: QuerySet[Item], place: Place, rng: np.random.Generator
    ) -> None:
        """Dialogues in random order, each turn by turn."""
        seat.order = conversations.in_order(
            items.select_related(*conversations.READ), rng
        )
