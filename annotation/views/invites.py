"""Invite links for researchers. A link is shown once, to the one who made it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import exports, platforms
from annotation.access import get_study_for, page_of, sees_people
from annotation.crowd import invites
from annotation.crowd.invites import Made
from annotation.models import Seat, Study
from annotation.models.surveys import pseudonym
from annotation.views.forms.invites import InviteForm
from evalapp.limits.once import at_most_once


@sees_people
@never_cache
@require_safe
def study_invites(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    return _page(request, study, InviteForm())


@at_most_once
@never_cache
@require_POST
def invites_make(request: HttpRequest, name: str) -> HttpResponse:
    """Create links and show them. Not a redirect: nothing could show them again."""
    study = get_study_for(request.user, name)
    form, made = InviteForm(request.POST), []
    if form.is_valid():
        try:
            made = invites.create(
                study=study,
                names=form.cleaned_data["names"].splitlines(),
                now=timezone.now(),
                user=request.user,
            )
        except invites.InviteError as error:
            form.add_error("names", str(error))
    if form.errors:
        return _page(request, study, form, status=400)
    return _page(request, study, InviteForm(), made)


@never_cache
@require_POST
def invites_download(request: HttpRequest, name: str) -> StreamingHttpResponse:
    """The links just made, as a file. Their tokens come with the request."""
    study = get_study_for(request.user, name)
    tokens = request.POST.getlist("token")[: invites.MOST_AT_ONCE]
    rows = (
        {"name": one.invite.name, "link": _link(request, study, one.token)}
        for one in invites.of_tokens(study=study, tokens=tokens)
    )
    file_name = f"{study.name}-invites.csv"
    return StreamingHttpResponse(
        exports.WRITERS["csv"](rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )


@never_cache
@require_POST
def invite_renew(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Make a new link for someone without a code. No redirect: it is shown once."""
    study = get_study_for(request.user, name)
    invite = get_object_or_404(study.invites, pk=pk, revoked_at=None)
    renewed = invites.renew(invite=invite, now=timezone.now(), user=request.user)
    return _page(request, study, InviteForm(), [renewed])


@require_POST
def invite_revoke(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    invite = get_object_or_404(study.invites, pk=pk)
    invites.revoke(invite=invite, now=timezone.now(), user=request.user)
    messages.success(request, f"The link of {invite} is revoked.")
    return redirect("study_invites", study.name)


def _page(
    request: HttpRequest,
    study: Study,
    form: InviteForm,
    made: Sequence[Made] = (),
    status: int = 200,
) -> HttpResponse:
    finished = Count("worker__seats", filter=Q(worker__seats__state__in=Seat.FINISHED))
    rows = study.invites.annotate(n_pages=finished).order_by("-pk")
    page = page_of(request, rows)
    for invite in page.object_list:
        if invite.worker_id:
            invite.pseudonym = pseudonym(study, invite.worker_id)
    context = {
        "study": study,
        "tab": "setup",
        "direct": study.platform == platforms.DIRECT,
        "form": form,
        "page": page,
        "made": [(one, _link(request, study, one.token)) for one in made],
    }
    return render(request, "annotation/views/invites.html", context, status=status)


def _link(request: HttpRequest, study: Study, token: str) -> str:
    query = urlencode({invites.PARAMETER: token})
    return request.build_absolute_uri(f"{study.get_worker_url()}?{query}")
