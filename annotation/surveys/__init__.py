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

__all__ = [
    "DrawError",
    "TransitionError",
    "close",
    "draw",
    "draw_more",
    "open_study",
    "pause",
    "planned",
]
