"""Previews, and the practice page."""

from __future__ import annotations

from django.contrib import messages
from django.forms import BaseFormSet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
)

from annotation import page_kinds
from annotation.access import get_study_for, reads
from annotation.crowd import consent, practice, speaking
from annotation.crowd.sending import by_script
from annotation.models import Study
from annotation.page_kinds import PracticeTask, questions
from annotation.page_kinds.content import Content, Page
from annotation.page_kinds.practice import PracticePage
from annotation.setup.checklist import PREVIEWED, note_once
from annotation.studies.settings import ON_THE_PAGE
from annotation.views.forms.setup import PracticeForm, practice_texts
from annotation.views.studies import settings_forms, settings_page

IN_MARKDOWN = frozenset(setting.name for setting in ON_THE_PAGE if setting.lines)
LOOK = "about"  # of a button that shows what was filled in, and saves nothing
NOWHERE = "nowhere"  # a form that is not on the page: a preview sends nothing


@reads
@require_POST
def settings_preview(request: HttpRequest, name: str) -> HttpResponse:
    """Words as workers will read them. Nothing is saved."""
    study = get_study_for(request.user, name)
    field = request.POST.get("preview", "")
    if field not in IN_MARKDOWN:
        return _question_preview(request, study, field)
    words = request.POST.get(field, "")
    if request.htmx:
        return render(request, "annotation/views/_preview.html", {"words": words})
    forms = settings_forms(study, request.POST)
    more = {"previewed": field, "words": words}
    return settings_page(request, study, forms, **more)


def _question_preview(request: HttpRequest, study: Study, field: str) -> HttpResponse:
    """The question with this prefix, on the scale that the form asks for."""
    forms = settings_forms(study, request.POST)
    forms["form"].is_valid()  # gives the study the scale that stands there
    found = [one for one in forms.get("aspects", []) if one.prefix == field]
    row, problems = None, found[0].errors if found else {}
    if found and not problems and found[0].cleaned_data.get("question"):
        label = study.labels.first()
        aspect = found[0].instance
        row = questions.scored(
            aspect,
            name=f"preview-{field}",
            question=aspect.asked_of(label.name if label else ""),
            form=NOWHERE,
        )
    more = {"previewed": field, "row": row, "problems": problems}
    if request.htmx:
        return render(request, "annotation/views/_question_preview.html", more)
    return settings_page(request, study, forms, **more)


@reads
@by_script
@require_http_methods(["GET", "HEAD", "POST"])
def worker_preview(request: HttpRequest, name: str) -> HttpResponse:
    """The first page as a worker uses it. Nothing is claimed or saved."""
    study = get_study_for(request.user, name)
    kind = request.GET.get("kind", "")
    if kind not in page_kinds.names():
        kind = study.page_kinds[0]
    speaking.speak(study)
    content = page_kinds.get(kind).content
    page = content.preview(study)
    if page.cards:
        note_once(study=study, verb=PREVIEWED, user=request.user, now=timezone.now())
    return _preview(request, study, page, content)


def _preview(
    request: HttpRequest,
    study: Study,
    page: Page,
    content: Content,
    task: PracticeTask | None = None,
) -> HttpResponse:
    """As the kind of page shows it, with style sheet and script of a practice task."""
    if request.method == "POST":
        sent = request.GET.copy()
        sent["sent"] = ""
        return redirect(f"{request.path}?{sent.urlencode()}#sent")
    if not page.cards:
        empty = "annotation/crowd/preview_empty.html"
        return render(request, empty, {"study": study})
    aspects = list(study.aspects.all())
    context = {
        "study": study,
        "aspects": aspects,
        "keys": content.keys(aspects),
        "contact": consent.contact(study),
        "prompt": page.prompt,
        "cards": page.cards,
        "place": content.place("{letter}", "{question}"),
        "content": task or content,
        "is_preview": True,
        "more_left": True,
        "was_sent": "sent" in request.GET,
    }
    return render(request, "annotation/crowd/preview.html", context)


# Practice -----------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def study_practice(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    page, task = practice.of(study), practice.task_of(study)
    data = request.POST or None
    form = PracticeForm(data, instance=page)
    texts = task and practice_texts(
        study=study, task=task, stored=page, form=form, data=data
    )
    is_sent, problem = bool(data) and LOOK not in request.POST, ""
    if is_sent and texts and all([form.is_valid(), texts.is_valid()]):
        try:
            _define(study, form, texts)
        except practice.PracticeError as error:
            problem = str(error)
        else:
            messages.success(request, "Practice page saved.")
            return redirect("study_practice", study.name)
    context = {
        "study": study,
        "tab": "setup",
        "draft": study.state == Study.State.DRAFT,
        "page": page,
        "task": task,
        "form": form,
        "texts": texts,
        "is_sent": is_sent,
        "problem": problem,
    }
    status = 400 if is_sent else 200
    return render(request, "annotation/views/practice.html", context, status=status)


def _define(study: Study, form: PracticeForm, texts: BaseFormSet) -> None:
    practice.define(
        study=study,
        **form.cleaned_data,
        texts=[one.as_text() for one in texts if one.cleaned_data.get("text")],
    )


@require_POST
def practice_remove(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    try:
        practice.remove(study=study)
    except practice.PracticeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Practice page removed.")
    return redirect("study_practice", study.name)


@reads
@by_script
@require_http_methods(["GET", "HEAD", "POST"])
def practice_preview(request: HttpRequest, name: str) -> HttpResponse:
    """The practice page as a worker sees it. No try is kept."""
    study = get_study_for(request.user, name)
    stored, task = practice.of(study), practice.task_of(study)
    content = page_kinds.get(study.page_kinds[0]).content
    speaking.speak(study)
    if stored is None or task is None:
        return _preview(request, study, Page([]), content)
    whole = PracticePage.of(stored)
    page = Page(task.cards(whole, {}, {}), whole.prompt)
    return _preview(request, study, page, content, task)
