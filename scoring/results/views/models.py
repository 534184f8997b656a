"""How to add the models that the papers of metrics used."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scoring import metrics
from scoring.results.views.metrics import study_named
from scoring.scores import allowed_models, models_here
from scoring.scores.models_here import ModelHere


@dataclass(slots=True)
class Published:
    """A model that metrics use unless another one is chosen."""

    name: str
    metrics: list[tuple[str, str]]  # name and title
    here: bool


@require_safe
def models_page(request: HttpRequest) -> HttpResponse:
    """Which models there are, and exactly how to add one."""
    here = models_here.on_server()
    context = {
        "published": _published(here),
        "here": [one for one in here if one.place in ("folder", "cache", "hub")],
        "hub": allowed_models.hub(),
        "folder": settings.MODELS_DIR.name,
        "study": study_named(request),
    }
    return render(request, "scoring/results/models.html", context)


def _published(here: list[ModelHere]) -> list[Published]:
    names = {one.value.partition("@")[0] for one in here if one.place != "hub"}
    found: dict[str, Published] = {}
    for metric in metrics.names():
        kind = metrics.get(metric)
        for field in metrics.option_fields(kind.Options):
            name = str(field.default)
            if not field.takes or not metrics.models.HUB_NAME.fullmatch(name):
                continue
            one = found.setdefault(name, Published(name, [], name in names))
            if (metric, kind.title) not in one.metrics:
                one.metrics.append((metric, kind.title))
    return sorted(found.values(), key=lambda one: one.name.casefold())
