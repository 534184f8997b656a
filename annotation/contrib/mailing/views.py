"""The page "Emails": the list, the text, and what became of each email."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import Count, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import platforms
from annotation.access import get_study_for, page_of, sees_people
from annotation.contrib.mailing import listing, sending, writing
from annotation.contrib.mailing.forms import ListForm, MailForm
from annotation.models import Mail, Mailing, Study
from annotation.recipients import retention
from evalapp.limits.uploads import takes_files
from evalapp.work.views import cancel_view, retry_view

SAMPLE = "a-link-of-their-own"  # in a preview: a real one is made when it is sent


@sees_people
@never_cache
@require_safe
def study_mailing(request: HttpRequest, name: str) -> HttpResponse:
    return _page(request, get_study_for(request.user, name))


@takes_files
@never_cache
@require_POST
def mailing_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = ListForm(request.POST, request.FILES)
    if form.is_valid():
        people = form.cleaned_data["people"]
        try:
            n = listing.add(
                study=study, people=people, now=timezone.now(), user=request.user
            )
        except listing.ListError as error:
            form.add_error(None, str(error))
        else:
            known = len(people) - n
            more = f" {known} were listed already, or refused." if known else ""
            said = "1 person is" if n == 1 else f"{n} people are"
            messages.success(request, f"{said} added to the list.{more}")
            return redirect("study_mailing", name)
    return _page(request, study, list_form=form, status=400)


@never_cache
@require_POST
def mailing_write(request: HttpRequest, name: str) -> HttpResponse:
    """Show what people would read, or send it."""
    study = get_study_for(request.user, name)
    form = MailForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form=form, status=400)
    if "send" not in request.POST:
        return _page(request, study, form=form, preview=_preview(study, form))
    given = form.cleaned_data
    try:
        sending.start(study=study, now=timezone.now(), user=request.user, **given)
    except sending.MailError as error:
        form.add_error(None, str(error))
        return _page(request, study, form=form, status=400)
    messages.success(request, "The emails are being sent. You can leave this page.")
    return redirect("study_mailing", name)


@require_POST
def mailing_forget(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    n = retention.forget(study=study, now=timezone.now(), user=request.user)
    messages.success(request, f"{n} names and addresses are deleted.")
    return redirect("study_mailing", name)


def _mailing(request: HttpRequest, name: str, pk: int) -> Mailing:
    return get_object_or_404(get_study_for(request.user, name).mailings, pk=pk)


mailing_cancel = cancel_view(sending.MAILINGS, _mailing)
# Sends the rest of one that stopped. Nothing that was tried is tried again.
mailing_retry = retry_view(sending.MAILINGS, _mailing)


def _preview(study: Study, form: MailForm) -> dict[str, Any]:
    given = form.cleaned_data
    people = sending.chosen(study=study, whom=given["whom"])
    first = people.first()
    name = first.name if first else "Kim"
    values = writing.values_for(study, name, writing.invite_link(study, SAMPLE))
    out = f"{settings.PUBLIC_URL}/mail/…/"
    return {
        "n": people.count(),
        "subject": writing.filled(given["subject"], values),
        "body": f"{writing.filled(given['body'], values)}\n\n-- \n"
        f"{writing.footer(study, out)}",
        "reply_to": study.contact,
    }


def _page(
    request: HttpRequest,
    study: Study,
    *,
    list_form: ListForm | None = None,
    form: MailForm | None = None,
    preview: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    newest = Mail.objects.filter(recipient=OuterRef("pk")).order_by("-pk")
    rows = study.recipients.select_related("invite__worker").annotate(
        mail_state=Subquery(newest.values("state")[:1]),
        mail_error=Subquery(newest.values("error")[:1]),
        mail_at=Subquery(newest.values("at")[:1]),
        n_mails=Count("mails"),
    )
    mailing = sending.MAILINGS.jobs(study=study, user=request.user).first()
    progress = sending.MAILINGS.progress(mailing) if mailing else None
    context = {
        "study": study,
        "tab": "setup",
        "direct": study.platform == platforms.DIRECT,
        "ready": settings.EMAIL_READY,
        "only_here": settings.PUBLIC_URL if writing.is_only_here() else "",
        "list_form": list_form or ListForm(),
        "form": form or MailForm(),
        "preview": preview,
        "page": page_of(request, rows.order_by("pk")),
        "states": dict(Mail.State.choices),
        "mailing": mailing,
        "waits": progress is not None and not progress.ended,
        "no_worker": progress is not None and progress.no_worker,
        "n_kept": study.recipients.exclude(address="").count(),
        "days": retention.days_kept(study),
    }
    return render(
        request, "annotation/contrib/mailing/mailing.html", context, status=status
    )
