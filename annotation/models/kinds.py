"""What a page asks people to do."""

from __future__ import annotations

from django.db import models


class PageKind(models.TextChoices):
    """One kind of page. A study has pages of one kind, or of several in turn."""

    RATINGS = "ratings", "Ratings: each text is rated on its own"
    PAIR = "pair", "Pairs: which of two texts is better"
    EDIT = "edit", "Editing: a text is corrected with as few changes as possible"
    DIALOGUE = (
        "dialogue",
        "Dialogues: turns of a conversation, and the whole, are rated",
    )


def only_ratings() -> list[str]:
    """What a study asks unless somebody chooses otherwise."""
    return [PageKind.RATINGS.value]
