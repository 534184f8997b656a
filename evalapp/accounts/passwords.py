"""What ends when a password changes, wherever that happens."""

from __future__ import annotations

from django.contrib.auth.models import User

from evalapp.accounts import tokens


class EndsTokens:
    """A password validator: Django tells them of each password that was changed, on
    any page and by any command, but not of one that is only hashed anew."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Any password will do."""

    def get_help_text(self) -> str:
        return "When the password changes, all API tokens and other sessions end."

    def password_changed(self, password: str, user: User) -> None:
        tokens.end_all(user=user)
