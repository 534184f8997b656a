"""Who guesses passwords has to wait."""

from __future__ import annotations

import hashlib

from django.contrib.auth.forms import AuthenticationForm
from django.core.cache import cache
from django.core.exceptions import ValidationError

from evalapp.limits import throttling

LOGIN_TRIES = 5


LOGIN_SECONDS = 60


class LoginForm(AuthenticationForm):
    """Django's own, which after five wrong passwords rests for a minute."""

    def clean(self) -> dict[str, object]:
        key = self._key()
        if cache.get(key, 0) >= LOGIN_TRIES:
            raise ValidationError(
                "Too many wrong passwords. Try again in a minute.", code="throttled"
            )
        try:
            cleaned = super().clean()
        except ValidationError:
            throttling.count(key, LOGIN_SECONDS)
            raise
        cache.delete(key)
        return cleaned

    def _key(self) -> str:
        # Both together: one person's typos lock out nobody else behind their address.
        username = self.cleaned_data.get("username", "").casefold()
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        digest = hashlib.sha256(f"{username}\n{address}".encode()).hexdigest()
        return f"login:{digest}"
