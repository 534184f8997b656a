"""Whether the questions of a study suit its texts, and can be answered."""

from __future__ import annotations

from annotation.models import Aspect, Study
from annotation.models.aspects import MOST_POINTS
from annotation.page_kinds import TextFields

LABEL = "{label}"  # in a question: what a text was asked to be
OPENING = "opening"  # in a question: what a text continues


def too_many_points(aspects: list[Aspect]) -> str:
    """The first question with a button for each of too many points; else empty."""
    for aspect in aspects:
        if not aspect.is_slider and len(aspect.scale) > MOST_POINTS:
            return f"“{aspect.title}” has {len(aspect.scale)} buttons to choose from."
    return ""


def beside_the_texts(study: Study, aspects: list[Aspect]) -> str:
    """The first question about something that no text has; empty if there is none."""
    about = [one.title for one in aspects if LABEL in one.question]
    begun = [one.title for one in aspects if OPENING in one.question.lower()]
    if not (about or begun) or not study.generations.exists():
        return ""
    fields = TextFields.of(study)
    if about and not fields.label:
        return (
            f"“{about[0]}” asks how well a text fits its label, but your texts have no"
            " labels."
        )
    if begun and not fields.prefix:
        return (
            f"“{begun[0]}” asks about the opening of a text, but your texts have no"
            " opening that they continue."
        )
    return ""
