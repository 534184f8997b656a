from __future__ import annotations

from django import template

from annotation.models import Study
from scoring.judging import identities
from scoring.judging.identities import Change
from scoring.models import Signature

register = template.Library()


@register.inclusion_tag("scoring/judging/_changes.html")
def judge_changes(study: Study) -> dict[str, list[Change]]:
    """A sentence for each judge with scores in the study that answers no more."""
    return {"changes": identities.changes_in(study)}


@register.inclusion_tag("scoring/judging/_changes.html")
def judge_changed(signature: Signature | None) -> dict[str, list[Change]]:
    """The same of one signature."""
    return {"changes": identities.changes([signature] if signature else [])}
