"""What pages of pairs ask of their readers: each pair has a prompt of its own."""

from __future__ import annotations

from django.db.models.functions import Coalesce, Length

from annotation.kinds._workload import TextWorkload
from annotation.models import Survey


class PairWorkload(TextWorkload):
    length = (
        Length("pair__first__text")
        + Length(Coalesce("pair__second__text", "negative__text"))
        + Length("pair__prompt__source")
    )
    texts_of_item = 2

    def beside(self, survey: Survey) -> int:
        return 0
