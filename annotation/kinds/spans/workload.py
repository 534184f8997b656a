"""What pages of texts to mark ask of their readers."""

from __future__ import annotations

from annotation.kinds._workload import TextWorkload
from annotation.kinds.spans.cards import ANSWERS_PER_TEXT
from annotation.models import Study


class MarkWorkload(TextWorkload):
    def answers_of_item(self, study: Study) -> int:
        return super().answers_of_item(study) + ANSWERS_PER_TEXT
