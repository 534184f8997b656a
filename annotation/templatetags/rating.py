"""What the rating page is made of."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
@lru_cache(maxsize=4096)
def question(row: Hashable) -> SafeString:
    """One question with its scale.

    Kept, because rendering them takes half of the time of a page, and the questions of
    a study are the same on each of its pages.
    """
    return render_to_string("annotation/crowd/_question.html", {"row": row})
