"""The page Members: who works on a study, in which role."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import studies
from annotation.access import get_study_for, manages, reads
from annotation.models import Member, Study
from annotation.views.forms.sharing import ROLES, MemberForm


@require_safe
def study_members(request: HttpRequest, name: str) -> HttpResponse:
    return _page(request, get_study_for(request.user, name), MemberForm())


def _page(
    request: HttpRequest, study: Study, form: MemberForm, status: int = 200
) -> HttpResponse:
    members = study.members.select_related("user")
    context = {
        "study": study,
        "tab": "setup",
        "members": members,
        "by_group": any(one.before_group is not None for one in members),
        "roles": ROLES,
        "form": form,
    }
    return render(request, "annotation/views/members.html", context, status=status)


@manages
@require_POST
def member_add(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = MemberForm(request.POST)
    if form.is_valid():
        try:
            added = studies.add_member(
                study=study, user=request.user, now=timezone.now(), **form.cleaned_data
            )
        except studies.MemberError as error:
            form.add_error("who", str(error))
        else:
            messages.success(request, f"{added.user} is now {_a(added)} of this study.")
            return redirect("study_members", study.name)
    return _page(request, study, form, status=400)


@manages
@require_POST
def member_role(request: HttpRequest, name: str, member: int) -> HttpResponse:
    def change(found: Member) -> str:
        role = request.POST.get("role", "")
        studies.change_role(
            member=found, role=role, user=request.user, now=timezone.now()
        )
        found.role = role
        return f"{found.user} is now {_a(found)}."

    return _do(request, name, member, change)


@manages
@require_POST
def member_remove(request: HttpRequest, name: str, member: int) -> HttpResponse:
    def remove(found: Member) -> str:
        studies.remove_member(member=found, user=request.user, now=timezone.now())
        return f"{found.user} is no longer a member."

    return _do(request, name, member, remove)


@reads
@require_POST
def member_leave(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    own = get_object_or_404(study.members, user=request.user)

    def leave(found: Member) -> str:
        studies.remove_member(member=found, user=request.user, now=timezone.now())
        return f"You have left the study {study}."

    return _do(request, name, own.pk, leave)


def _do(
    request: HttpRequest, name: str, member: int, verb: Callable[[Member], str]
) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = get_object_or_404(study.members.select_related("user"), pk=member)
    try:
        messages.success(request, verb(found))
    except studies.MemberError as error:
        messages.error(request, str(error))
    # A member who left, or is no longer an owner, may not see this page again.
    still = Study.objects.visible_to(request.user).filter(pk=study.pk).exists()
    return redirect("study_members", study.name) if still else redirect("studies")


def _a(member: Member) -> str:
    return f"{'a' if member.role == Member.Role.VIEWER else 'an'} {member.role}"
