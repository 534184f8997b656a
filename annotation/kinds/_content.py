"""What pages of a kind answer that has no words, and no buttons, of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.models import Seat, Study
from annotation.page_kinds.content import Return, Term


class PlainContent:
    def terms(self, study: Study) -> Sequence[Term]:
        return ()

    def back_to(self, seat: Seat, about: str, data: Mapping[str, str]) -> Return:
        return Return()
