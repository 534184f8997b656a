from __future__ import annotations

from typing import Any

from django import template

from annotation.models import Study
from scoring.endpoints import configuration
from scoring.judging import anchors, identities
from scoring.models import Signature

register = template.Library()


@register.inclusion_tag("scoring/judging/_changes.html")
def judge_changes(study: Study) -> dict[str, Any]:
    """A sentence for each judge of the study that another model answers for by now, or
    whose anchors show a drift."""
    drifts = anchors.drifts_in(study)
    titles = {configuration.title(model): said for model, said in drifts.items()}
    return {"changes": identities.changes_in(study), "drifts": titles, "study": study}


@register.inclusion_tag("scoring/judging/_changes.html")
def judge_changed(signature: Signature | None) -> dict[str, Any]:
    """Whether another model answers by now, of one signature."""
    return {"changes": identities.changes([signature] if signature else [])}
