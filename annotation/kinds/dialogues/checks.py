from __future__ import annotations

from annotation.page_kinds import Units
from annotation.page_kinds.checks import RuleOnly


class DialogueChecks(RuleOnly):
    """The damaged turn is rated among the turns of the others."""

    def n_compared(self, units: Units) -> int:
        texts = (text for dialogue in units for text in dialogue.texts)
        return sum(text.turn is not None for text in texts)
