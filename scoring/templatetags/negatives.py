from __future__ import annotations

from django import template
from django.template import Context

from annotation.models import Negative, Study
from scoring import runs
from scoring.runs import negatives

register = template.Library()


@register.inclusion_tag("scoring/runs/_negatives.html", takes_context=True)
def negatives_to_score(context: Context, study: Study) -> dict:
    """Which metrics can score the negatives, and how far those are that do."""
    found = negatives.metrics(study=study)
    return {
        "study": study,
        "n": Negative.objects.filter(survey__study=study).count(),
        "wanted": [metric for metric in found if metric.wanted],
        "under_way": [
            (metric, runs.progress(run=metric.run))
            for metric in found
            if metric.under_way
        ],
        "failed": [metric for metric in found if metric.wanted and metric.stopped],
        "not_ours": [metric for metric in found if metric.missing and metric.reason],
        "csrf_token": context["csrf_token"],
    }
