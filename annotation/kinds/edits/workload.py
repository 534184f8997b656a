"""What pages of texts to correct ask of their readers."""

from __future__ import annotations

from annotation.kinds._workload import TextWorkload
from annotation.models import Study

ANSWERS_PER_CORRECTION = 8  # to correct a text takes as long as so many answers


class EditWorkload(TextWorkload):
    def answers_of_item(self, study: Study) -> int:
        return ANSWERS_PER_CORRECTION
