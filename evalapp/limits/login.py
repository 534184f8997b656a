"""Who guesses passwords has to wait."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from evalapp.limits import throttling

SECONDS = 60
TRIES = 5  # of one name from one address
# Of all names from one address: an institute shares one, a list of names goes further.
TRIES_OF_ADDRESS = 30
THROTTLED = "throttled"

log = logging.getLogger(__name__)


class LoginForm(AuthenticationForm):
    """Django's own, which after too many wrong passwords rests for a minute."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.INSTITUTION:  # whose button stands above: the focus would skip it
            del self.fields["username"].widget.attrs["autofocus"]

    def clean(self) -> dict[str, object]:
        if not {"username", "password"} <= self.cleaned_data.keys():
            return self.cleaned_data  # no guess, and no right one either
        if not settings.PASSWORD_LOGIN:
            raise ValidationError(
                "This site does not accept passwords. Use your institution’s account;"
                " programs use a token from the Account page."
            )
        name = self.cleaned_data["username"]
        assert self.request, "it is not known whose guess it is"
        count_guess(self.request, name)
        try:
            cleaned = super().clean()
        except ValidationError:
            _note("wrong password", self.request, name)
            raise
        forget_guesses(self.request, name)
        self._refuse_linked()
        return cleaned

    def _refuse_linked(self) -> None:
        """A password would let in whom the institution no longer does.

        Asked last: who does not know the password learns nothing of the account.
        """
        institution = settings.INSTITUTION
        identity = getattr(self.get_user(), "identity", None)
        if institution and identity and identity.is_current:
            name = institution.name
            raise ValidationError(
                f"This account logs in through {name}, not with a password. Choose “Log"
                f" in with {name}”. Programs use a token from the Account page."
            )


class ChangeForm(PasswordChangeForm):
    """Django's own, which lets nobody guess at a computer that was left logged in."""

    def __init__(self, request: HttpRequest, *args: object, **kwargs: object) -> None:
        super().__init__(request.user, *args, **kwargs)
        self.request = request
        # Half way down the page: a focus there would hide what stands above.
        del self.fields["old_password"].widget.attrs["autofocus"]

    def clean_old_password(self) -> str:
        count_guess(self.request, self.user.get_username())
        try:
            password = super().clean_old_password()
        except ValidationError:
            _note("wrong password", self.request, self.user.get_username())
            raise
        forget_guesses(self.request, self.user.get_username())
        return password


def count_guess(request: HttpRequest, username: str) -> None:
    """Count first, then check: of many guesses at one moment, five are checked.

    Raises:
        ValidationError: If there were too many, with the code `THROTTLED`.
    """
    now = timezone.now()
    named, address = _keys(request, username)
    often = throttling.count(named, SECONDS, most=TRIES, now=now) > TRIES
    # Only what is checked: one name's typos do not use up their neighbours' guesses.
    if not often:
        most = TRIES_OF_ADDRESS
        often = throttling.count(address, SECONDS, most=most, now=now) > most
    if often:
        _note("too many wrong passwords", request, username)
        raise ValidationError(
            "Too many wrong passwords. Try again in a minute.", code=THROTTLED
        )


def check_password(request: HttpRequest, password: str) -> None:
    """Ask whoever is logged in for it once more, as bounded as a login.

    Raises:
        ValidationError: It is wrong, or was guessed too often.
    """
    user = request.user
    count_guess(request, user.get_username())
    if not user.check_password(password):
        _note("wrong password", request, user.get_username())
        raise ValidationError("The password is wrong. Enter it again.")
    forget_guesses(request, user.get_username())


def forget_guesses(request: HttpRequest, username: str) -> None:
    """The password was right. What their address got wrong of other names stays."""
    named, address = _keys(request, username)
    throttling.forget(named)
    throttling.uncount(address)


def locked_names(*, now: datetime) -> dict[str, datetime]:
    """Accounts that someone has guessed at too often, and until when they wait.

    Names that have no account are not told: what is typed there may be a password.
    """
    ends: dict[str, datetime] = {}
    for key, end in throttling.beyond("login:", TRIES, now=now).items():
        start = key[: key.rindex(":") + 1]
        ends[start] = max(ends.get(start, end), end)
    if not ends:
        return {}
    names = User.objects.values_list("username", flat=True)
    found = {name: ends.get(_start(name)) for name in names.iterator()}
    return {name: end for name, end in found.items() if end}


def unlock_name(username: str) -> int:
    """Forget guesses at a name from all addresses. Return from how many."""
    return throttling.forget_all(_start(username))


def unlock_address(address: str) -> int:
    """Forget what came from an address: of all names together, not of each."""
    return throttling.forget_all(
        throttling.key_of("login-address", throttling.network_of(address))
    )


def _note(what: str, request: HttpRequest, username: str) -> None:
    """A line for the operator, and for programs such as fail2ban.

    A name is written only if an account has it: people type passwords there, too.
    """
    known = list(
        User.objects.filter(username=username).values_list("username", flat=True)[:1]
    )
    whose = f"the account {known[0]}" if known else "no account"
    log.warning("%s for %s from %s", what, whose, throttling.address_of(request))


def _keys(request: HttpRequest, username: str) -> tuple[str, str]:
    # Name and address together: nobody elsewhere can lock the owner out.
    address = throttling.network_of(throttling.address_of(request))
    return (
        throttling.key_of(_start(username)[:-1], address),
        throttling.key_of("login-address", address),
    )


def _start(username: str) -> str:
    """What the counters of a name begin with, whatever the address."""
    return throttling.key_of("login", username.casefold()) + ":"
