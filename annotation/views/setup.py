"""A researcher's look at what workers will see."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from annotation import consent, practice_forms
from annotation.models import Prompt, Study
from annotation.views.access import get_study_for
from annotation.views.studies import settings_forms, settings_page

IN_MARKDOWN = ("instructions", "consent", "debrief")


@require_POST
def settings_preview(request: HttpRequest, name: str) -> HttpResponse:
    """Words as workers will read them. Nothing is saved."""
    study = get_study_for(request.user, name)
    field = request.POST.get("preview", "")
    words = request.POST.get(field, "") if field in IN_MARKDOWN else ""
    if request.htmx:
        return render(request, "annotation/_preview.html", {"words": words})
    forms = settings_forms(study, request.POST)
    more = {"previewed": field, "words": words}
    return settings_page(request, study, forms, **more)


@require_GET
def worker_preview(request: HttpRequest, name: str) -> HttpResponse:
    """The first page as a worker sees it. Nothing is claimed, saved or sent."""
    study = get_study_for(request.user, name)
    prompt, texts = _first_page(study)
    cards = prompt and practice_forms.cards(
        study=study, prompt=prompt, texts=texts, answers={}
    )
    context = {
        "study": study,
        "aspects": study.aspects.all(),
        "contact": consent.contact(study),
        "prompt": prompt,
        "cards": cards,
    }
    return render(request, "worker/preview.html", context)


def _first_page(study: Study) -> tuple[Prompt | None, list[str]]:
    """Texts of survey 1 in the order drawn, or of the first prompt without a draw."""
    if survey := study.surveys.select_related("prompt__label").first():
        items = survey.items.select_related("generation", "negative")
        return survey.prompt, [item.text for item in items]
    prompt = study.prompts.select_related("label").order_by("position", "pk").first()
    if prompt is None:
        return None, []
    shown = prompt.generations.order_by("sample", "pk")[: study.texts_per_survey]
    return prompt, [generation.text for generation in shown]
