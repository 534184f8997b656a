"""Who guesses passwords has to wait."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network

from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from evalapp.limits import throttling

SECONDS = 60
TRIES = 5  # of one name from one address
# Of all names from one address: an institute shares one, a list of names goes further.
TRIES_OF_ADDRESS = 30
THROTTLED = "throttled"


class LoginForm(AuthenticationForm):
    """Django's own, which after too many wrong passwords rests for a minute."""

    def clean(self) -> dict[str, object]:
        if not {"username", "password"} <= self.cleaned_data.keys():
            return self.cleaned_data  # no guess, and no right one either
        name = self.cleaned_data["username"]
        assert self.request, "it is not known whose guess it is"
        count_guess(self.request, name)
        cleaned = super().clean()
        forget_guesses(self.request, name)
        return cleaned


class ChangeForm(PasswordChangeForm):
    """Django's own, which lets nobody guess at a computer that was left logged in."""

    def __init__(self, request: HttpRequest, *args: object, **kwargs: object) -> None:
        super().__init__(request.user, *args, **kwargs)
        self.request = request
        # Half way down the page: a focus there would hide what stands above.
        del self.fields["old_password"].widget.attrs["autofocus"]

    def clean_old_password(self) -> str:
        count_guess(self.request, self.user.get_username())
        password = super().clean_old_password()
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
        raise ValidationError(
            "Too many wrong passwords. Try again in a minute.", code=THROTTLED
        )


def forget_guesses(request: HttpRequest, username: str) -> None:
    """The password was right. What their address got wrong of other names stays."""
    named, address = _keys(request, username)
    throttling.forget(named)
    throttling.uncount(address)


def _keys(request: HttpRequest, username: str) -> tuple[str, str]:
    # Name and address together: nobody elsewhere can lock the owner out.
    address = _network(throttling.address_of(request))
    name = username.casefold()
    return (
        throttling.key_of("login", name, address),
        throttling.key_of("login-address", address),
    )


def _network(address: str) -> str:
    """What one customer has: with IPv6, 2 ** 64 addresses to guess from."""
    with suppress(ValueError):
        if isinstance(ip_address(address), IPv6Address):
            return str(ip_network((address, 64), strict=False))
    return address
