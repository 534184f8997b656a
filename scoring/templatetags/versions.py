from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import template

from annotation.models import Study
from scoring.models import Signature, SystemScore
from scoring.scores import present, versions
from scoring.scores.outputs import metric_title

register = template.Library()


@register.inclusion_tag("scoring/_old_versions.html")
def old_versions(study: Study) -> dict[str, Any]:
    """A sentence for each metric of the study that gives other numbers by now."""
    systems = SystemScore.objects.filter(system__study=study).order_by()
    ids = list(systems.values_list("signature", flat=True).distinct())
    both = present.signatures(study=study), Signature.objects.filter(pk__in=ids)
    return _told(text for rows in both for text in rows.values_list("text", flat=True))


@register.inclusion_tag("scoring/_old_versions.html")
def old_version(signature: str) -> dict[str, Any]:
    """The same of one signature."""
    return _told([signature])


def _told(signatures: Iterable[str]) -> dict[str, Any]:
    """By what pages call the metric."""
    found = filter(None, map(versions.old, signatures))
    return {"versions": {metric_title(one.name): one for one in found}}
