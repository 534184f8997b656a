"""The worker's practice page, between the consent and the first real page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.crowd import consent, practice, speaking
from annotation.crowd.cookies import current_worker
from annotation.crowd.views import proving
from annotation.crowd.views.entry import has_agreed
from annotation.models import Practice, PracticeTry, Study, Worker
from annotation.page_kinds import PracticeTask
from annotation.page_kinds.content import Page
from annotation.page_kinds.practice import Answers, PracticePage

BEFORE_SENDING = "about"  # of a button that only adds to answers, without a script
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
    whole = PracticePage.of(page)
    context = {
        "study": page.study,
        "prompt": whole.prompt,
        "feedback": practice.feedback(practice=page, tried=tried),
        "style": task_of(page).style,
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
    answers = task_of(page).parse(PracticePage.of(page), request.POST)
    if BEFORE_SENDING in request.POST:
        return questions(request, page, worker.tries.last(), answers)
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
    answers: Answers,
    is_checked: bool = False,
) -> HttpResponse:
    task, whole = task_of(page), PracticePage.of(page)
    cards = task.cards(whole, answers, request.POST)
    context = {
        "study": page.study,
        "practice": page,
        "prompt": whole.prompt,
        "cards": cards,
        "task": task,
        "missing": Page(cards).missing if is_checked else [],
        "number": tried.number + 1 if tried else 1,
        "aspects": page.study.aspects.all(),
        "contact": consent.contact(page.study),
    }
    status = 400 if is_checked else 200
    return render(request, "annotation/crowd/practice.html", context, status=status)


def task_of(page: Practice) -> PracticeTask:
    """Studies with a practice page have one."""
    task = practice.task_of(page.study)
    if task is None:
        raise Http404
    return task
