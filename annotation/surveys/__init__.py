"""Texts and negatives become pages."""

from annotation.surveys.drawing import (
    DrawError,
    TransitionError,
    close,
    draw,
    draw_more,
    open_study,
    pause,
    planned,
)
from annotation.surveys.feasibility import (
    Damageable,
    damageable,
    what_cannot_be_damaged,
)

__all__ = [
    "Damageable",
    "DrawError",
    "TransitionError",
    "close",
    "damageable",
    "draw",
    "draw_more",
    "open_study",
    "pause",
    "planned",
    "what_cannot_be_damaged",
]
