"""What pages of numbers say of answers that a metric proposed."""

from __future__ import annotations

from django import template

from annotation.models import Study
from scoring.results import proposed_marks

register = template.Library()


@register.inclusion_tag("scoring/results/_proposed.html")
def proposed(study: Study) -> dict[str, object]:
    """A notice where people saw a metric's marks before they marked.

    They agree with it, and with each other, more than they would on their own.
    """
    return {"metric": proposed_marks.metric_of(study), "study": study}
