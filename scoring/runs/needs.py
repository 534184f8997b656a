"""What of a study a metric may need."""

from __future__ import annotations

from annotation.human_scores import corrections
from annotation.models import Prompt, Reference, Study

NEEDS = {
    "source": "sources (what the texts answer)",
    "references": "reference texts",
    "corrections": "corrections of its texts by people",
    "corpus": "a corpus of human texts",
    "log-probabilities": "log-probabilities of the texts under their systems",
}


def lacks(*, study: Study) -> dict[str, str]:
    """What metrics may need and no text of the study has, in words. Four queries."""
    known = study.generations.exclude(log_probability=None)
    there = {
        "source": Prompt.objects.filter(study=study).exclude(source="").exists(),
        "references": Reference.objects.filter(prompt__study=study).exists(),
        "corrections": corrections.exist(study=study),
        "log-probabilities": known.exists(),
    }
    return {need: NEEDS[need] for need, found in there.items() if not found}
