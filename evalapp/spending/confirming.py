"""The password once more, before money goes out: a session may be someone else's."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from evalapp.limits.login import check_password

FIELD = "password"
LOGGED_IN = "logged_in_at"  # in the session
FRESH = timedelta(minutes=10)


class NotConfirmed(Exception):
    """The message says what is expected. Nothing was done."""


def has_password(user: User | AnonymousUser) -> bool:
    """Whether they can be asked for one that this site knows."""
    is_known = isinstance(user, User) and user.has_usable_password()
    return settings.PASSWORD_LOGIN and is_known


def confirm(request: HttpRequest) -> None:
    """Ask that whoever sent this form is the owner of the account.

    Accounts of an institution have no password here: their login must be fresh.

    Raises:
        NotConfirmed: The password is wrong or missing, or the login is too old.
    """
    if not has_password(request.user):
        return _ask_for_login(request)
    given = request.POST.get(FIELD, "")
    if not given:
        raise NotConfirmed("Enter your password. Nothing was sent.")
    try:
        check_password(request, given)
    except ValidationError as error:
        raise NotConfirmed(error.messages[0]) from error


def _ask_for_login(request: HttpRequest) -> None:
    at = request.session.get(LOGGED_IN, "")
    if at and timezone.now() - datetime.fromisoformat(at) < FRESH:
        return
    minutes = int(FRESH.total_seconds() / 60)
    raise NotConfirmed(
        "To be sure that it is you: log out, log in again, and press the button within"
        f" {minutes} minutes. Nothing was sent."
    )


def note_login(sender: object, request: HttpRequest, **more: object) -> None:
    request.session[LOGGED_IN] = timezone.now().isoformat()


user_logged_in.connect(note_login, dispatch_uid="spending.note_login")
