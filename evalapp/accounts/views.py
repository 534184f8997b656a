"""The page Account: profile, API tokens and password of the user."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from evalapp.accounts import tokens
from evalapp.accounts.forms import LinkForm, ProfileForm, TokenForm
from evalapp.accounts.models import Token
from evalapp.limits.login import ChangeForm


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return _page(request)


def _page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    now = timezone.now()
    context = {
        "tokens": [
            (token, token.has_ended(now)) for token in request.user.tokens.all()
        ],
        "profile_form": ProfileForm(instance=request.user),
        "token_form": TokenForm(),
        "password_form": ChangeForm(request),
        **_institution_of(request),
        **more,
    }
    return render(request, "evalapp/accounts/account.html", context, status=status)


def _institution_of(request: HttpRequest) -> dict[str, Any]:
    """How the user logs in, as far as it is not by a password alone."""
    identity = getattr(request.user, "identity", None)
    is_linked = identity is not None and identity.is_current
    may_log_in = settings.PASSWORD_LOGIN and not is_linked
    has_password = may_log_in and request.user.has_usable_password()
    return {
        "institution": settings.INSTITUTION,
        "identity": identity,
        "is_linked": is_linked,
        "has_password": has_password,
        "token_days": settings.OIDC_TOKEN_DAYS,
        "link_form": LinkForm(request) if has_password else None,
    }


@require_POST
def profile(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST, instance=request.user)
    if not form.is_valid():
        return _page(request, status=400, profile_form=form)
    form.save()
    messages.success(request, "Your profile is saved.")
    return redirect("account")


@never_cache
@require_POST
def token_make(request: HttpRequest) -> HttpResponse:
    """Make one and show its key, once: it is stored nowhere."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, status=400, token_form=form)
    made, key = tokens.make(user=request.user, now=timezone.now(), **form.cleaned_data)
    return _page(request, made=made, key=key)


@never_cache
@require_POST
def token_rotate(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(request.user.tokens, pk=pk)
    key = tokens.rotate(token=token, now=timezone.now())
    return _page(request, made=token, key=key)


@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token: Token = get_object_or_404(request.user.tokens, pk=pk)
    token.delete()
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("account")


@never_cache
@require_POST
@sensitive_post_parameters()
def password(request: HttpRequest) -> HttpResponse:
    if not _institution_of(request)["has_password"]:
        raise PermissionDenied("You do not use a password to log in to this site.")
    form = ChangeForm(request, request.POST)
    if not form.is_valid():
        return _page(request, status=400, password_form=form)
    form.save()
    update_session_auth_hash(request, form.user)  # this session continues
    done = (
        "Your password is changed. Your API tokens and all other sessions have ended."
    )
    messages.success(request, done)
    return redirect("account")
