"""What pages of work have in common: they ask how far it is, cancel it, try it again.

Each function makes the view of a kind, for the address that its app gives it. `find`
finds the job, given the request and what the address names, or raises Http404; None:
there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from evalapp.work.kinds import Refused, Work

View = Callable[..., HttpResponse]
Find = Callable[..., Any]


def progress_view(
    find: Find, fragment: str, context: Callable[[Any], dict[str, Any]]
) -> View:
    """Shows a fragment, which asks for itself until the job has ended."""

    @require_safe
    def progress(request: HttpRequest, **address: Any) -> HttpResponse:
        job = find(request, **address)
        if job is None or job.ended:  # the whole page shows how
            return HttpResponse(headers={"HX-Refresh": "true"})
        return render(request, fragment, context(job))

    return progress


def cancel_view(work: Work[Any, Any], find: Find) -> View:
    @require_POST
    def cancel(request: HttpRequest, **address: Any) -> HttpResponse:
        job = find(request, **address)
        if job is None:
            raise Http404("Nothing of this kind is under way.")
        work.cancel(job)
        return redirect(job)

    return cancel


def retry_view(work: Work[Any, Any], find: Find) -> View:
    @require_POST
    def retry(request: HttpRequest, **address: Any) -> HttpResponse:
        job = find(request, **address)
        try:
            work.retry(job, user=request.user)
        except (Refused, *work.refusals) as error:
            messages.error(request, _sentence(error))
        return redirect(job)

    return retry


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
