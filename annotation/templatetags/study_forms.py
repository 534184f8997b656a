"""Forms that stand on pages of something else."""

from __future__ import annotations

from django import template
from django.template import Context

from annotation.kinds.pairs.forms import MorePairsForm
from annotation.models import Study
from annotation.votes.forms import KindsForm

register = template.Library()


@register.inclusion_tag("annotation/votes/_system_kinds.html", takes_context=True)
def system_kinds(context: Context, study: Study, opened: str = "") -> dict:
    """The form that says which systems are people. Two small queries."""
    return {
        "study": study,
        "form": KindsForm(study=study),
        "opened": opened,
        "csrf_token": context["csrf_token"],
    }


@register.simple_tag
def more_pairs_form() -> MorePairsForm:
    return MorePairsForm()
