"""How studies of dialogues begin."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_noop

from annotation.kinds._setup import TextSetup
from annotation.models import Aspect, Study
from annotation.page_kinds import TextFields
from annotation.studies.standard import COHERENCE, CONSISTENCY
from annotation.studies.suiting import reword

INSTRUCTIONS = gettext_noop("""\
Each page shows one or more conversations. Read each of them from the beginning. Below \
some turns there are questions about this turn, given what was said before. At the end \
there may be questions about the whole conversation.

There are no right answers: we want your own impression. Judge each conversation on \
its own. Ignore small spelling or spacing mistakes unless a question asks about them.
""")
FITS_DIALOGUE = {
    "question": gettext_noop("How well does this turn fit what was said before?"),
    "low": gettext_noop("Not at all: it ignores or contradicts it"),
    "middle": gettext_noop("Partly: it drifts away from it"),
    "high": gettext_noop("Completely: it is a natural answer"),
}
HOLDS_TOGETHER = {
    "question": gettext_noop("Does the conversation hold together as a whole?"),
    "low": gettext_noop("Not at all: the turns have nothing in common"),
    "middle": gettext_noop("Partly: some turns do not fit"),
    "high": gettext_noop("Completely: each turn follows from the last"),
}
DIALOGUES_ON_A_PAGE = 2  # they are long


class DialogueSetup(TextSetup):
    def is_needed(self, study: Study) -> bool:
        return study.dialogues.exists()

    def fit_questions(self, aspects: Sequence[Aspect], fields: TextFields) -> None:
        """One question about each turn, and one about the whole."""
        for aspect in aspects:
            if aspect.key == CONSISTENCY["key"]:
                reword(aspect, FITS_DIALOGUE)
            elif aspect.key == COHERENCE["key"]:
                aspect.about = Aspect.About.DIALOGUE
                aspect.save(update_fields=["about"])
                reword(aspect, HOLDS_TOGETHER)
            else:
                aspect.delete()


DIALOGUE_SETUP = DialogueSetup(
    INSTRUCTIONS, wordings=(FITS_DIALOGUE, HOLDS_TOGETHER), size=DIALOGUES_ON_A_PAGE
)
