"""The texts of a page, as researchers see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import F

from annotation.models import Survey

# Of dialogues turn by turn; other texts by their system.
ORDER = ("dialogue", "turn", "system__name")


@dataclass(frozen=True)
class TextListing:
    own_prompts: str = ""
    more: str = ""
    template: str = "annotation/views/_survey_texts.html"

    def context(self, survey: Survey) -> Mapping[str, object]:
        items = survey.items.filter(decoy=None).select_related(
            *("generation__system", "generation__dialogue", "negative__source__system")
        )
        order = (F(f"generation__{field}").asc(nulls_last=True) for field in ORDER)
        return {"items": items.order_by(*order)}
