"""What ends when a password changes, wherever that happens."""

from __future__ import annotations

from django.contrib.auth.models import User

from evalapp.accounts import tokens


class EndsTokens:
    """A password validator, because Django calls these for each password that is
    changed, on any page and by any command, but not when one is only rehashed."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accepts any password."""

    def get_help_text(self) -> str:
        return "When the password changes, all API tokens and other sessions end."

    def password_changed(self, password: str, user: User) -> None:
        tokens.end_all(user=user)
