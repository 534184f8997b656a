"""Texts and negatives become pages."""

from annotation.surveys.drawing import close, draw, draw_more, open_study, pause
from annotation.surveys.feasibility import (
    USUAL_SIZE,
    Damageable,
    damageable,
    damageable_texts,
    what_cannot_be_damaged,
)
from annotation.surveys.opening import OPENINGS, progress, start_opening
from annotation.surveys.planning import Cut, DrawError, TransitionError, planned

__all__ = [
    "OPENINGS",
    "USUAL_SIZE",
    "Cut",
    "Damageable",
    "DrawError",
    "TransitionError",
    "close",
    "damageable",
    "damageable_texts",
    "draw",
    "draw_more",
    "open_study",
    "pause",
    "planned",
    "progress",
    "start_opening",
    "what_cannot_be_damaged",
]
