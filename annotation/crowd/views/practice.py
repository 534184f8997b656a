"""The worker's practice page, between the consent and the first real page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.crowd import consent, practice, speaking
from annotation.crowd.cookies import current_worker
from annotation.crowd.forms import practice as practice_forms
from annotation.crowd.views import proving
from annotation.crowd.views.entry import has_agreed
from annotation.models import Practice, PracticeTry, Study, Worker
from annotation.page_kinds import Scored
from annotation.page_kinds.content import Page

View = Callable[[HttpRequest, Worker, Practice], HttpResponse]


def with_practice(view: View):
    """Give the view its worker; send others to a page that says what to do."""

    @wraps(view)
    def found(request: HttpRequest, study_id: UUID) -> HttpResponse:
        study = speaking.study_of(study_id)
        worker, page = current_worker(request, study), practice.of(study)
        if worker is None or page is None or not has_agreed(worker, study):
            return redirect(study.get_worker_url())
        if not worker.takes_part or study.state != Study.State.OPEN:
            return redirect(study.get_worker_url())
        worker.study = page.study = study
        return view(request, worker, page)

    return found


@login_not_required
@never_cache
@require_safe
@proving.proven
@with_practice
def show(request: HttpRequest, worker: Worker, page: Practice) -> HttpResponse:
    """The questions, or what was expected where they have been answered."""
    tried = worker.tries.last()
    if tried is None or ("again" in request.GET and not tried.passed):
        return questions(request, page, tried, {})
    context = {
        "study": page.study,
        "prompt": practice_forms.prompt_of(page),
        "feedback": practice_forms.with_feedback(
            page, practice.feedback(practice=page, tried=tried)
        ),
        "tried": tried,
        "n_left": page.attempts - tried.number,
    }
    return render(request, "annotation/crowd/practice_feedback.html", context)


@login_not_required
@never_cache
@require_POST
@proving.proven
@with_practice
def attempt(request: HttpRequest, worker: Worker, page: Practice) -> HttpResponse:
    """Keep the answers. Sent twice, they count once."""
    answers = practice_forms.answers(page, page.texts.count(), request.POST)
    number = request.POST.get("number", "")
    try:
        practice.attempt(
            worker=worker,
            number=int(number) if number.isdecimal() and len(number) < 4 else 0,
            answers=answers,
            now=timezone.now(),
        )
    except practice.Missing:
        return questions(request, page, worker.tries.last(), answers, is_checked=True)
    except practice.Over:
        return redirect(page.study.get_worker_url())
    return redirect("worker:practice", page.study.public_id)


def questions(
    request: HttpRequest,
    page: Practice,
    tried: PracticeTry | None,
    answers: Scored,
    is_checked: bool = False,
) -> HttpResponse:
    texts = list(page.texts.values_list("text", flat=True))
    prompt = practice_forms.prompt_of(page)
    cards = practice_forms.cards(
        study=page.study, prompt=prompt, texts=texts, answers=answers
    )
    context = {
        "study": page.study,
        "practice": page,
        "prompt": prompt,
        "cards": cards,
        "missing": Page(cards).missing if is_checked else [],
        "number": tried.number + 1 if tried else 1,
        "aspects": page.study.aspects.all(),
        "contact": consent.contact(page.study),
    }
    status = 400 if is_checked else 200
    return render(request, "annotation/crowd/practice.html", context, status=status)
