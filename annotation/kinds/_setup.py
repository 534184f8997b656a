"""How studies of texts begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.models import Aspect, Study
from annotation.page_kinds import Option, OwnForm, TextFields
from annotation.studies import suiting


@dataclass(frozen=True)
class TextSetup:
    """Chosen by somebody; its instructions are the same whatever the texts have."""

    words: str  # not translated yet
    options: Sequence[Option] = ()
    wordings: Sequence[Mapping[str, str]] = ()
    size: int | None = None

    def form(self, study: Study, data: Mapping[str, Any] | None) -> OwnForm | None:
        return None

    def summary(self, study: Study) -> str:
        return ""

    def own(self, study: Study) -> Mapping[str, Any]:
        return {}

    def set_own(self, study: Study, values: Mapping[str, Any]) -> None:
        raise ValueError("these pages have no settings of their own")

    def is_needed(self, study: Study) -> bool:
        return False

    def instructions(self, fields: TextFields) -> str:
        return gettext(self.words)

    def all_instructions(self) -> list[str]:
        return [gettext(self.words)]

    def fit_questions(self, aspects: Sequence[Aspect], fields: TextFields) -> None:
        suiting.fit_questions(aspects, fields)
