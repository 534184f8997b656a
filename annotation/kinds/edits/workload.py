"""What pages of texts to correct ask of their readers."""

from __future__ import annotations

from annotation.kinds._workload import TextWorkload
from annotation.models import Study
from annotation.surveys.estimating import ANSWERS_PER_CORRECTION


class EditWorkload(TextWorkload):
    def answers_of_item(self, study: Study) -> int:
        return ANSWERS_PER_CORRECTION
