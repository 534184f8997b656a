"""What a training keeps as JSON: the points of its log, and the card at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

# Numbers, words, None, and figures of stages or kinds of damage within them.
Figures = Mapping[str, object]


class Point(TypedDict):
    """The losses at one step."""

    step: int
    # A card's own points have less than those of a worker.
    stage: NotRequired[str]
    loss: NotRequired[float | None]
    held_out: NotRequired[float | None]
    seconds: NotRequired[float]


class Stage(TypedDict, total=False):
    figures: Figures


class Learned(TypedDict, total=False):
    """What is known of the texts."""

    classes: dict[str, int]  # texts of each label


class Card(Stage, total=False):
    """What of it is shown; all is absent until the training is finished."""

    pretraining: Stage
    data: Learned
    log: list[Point]  # of the last stage
