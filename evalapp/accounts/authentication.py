"""`Authorization: Token ...` in the API."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from evalapp.accounts import tokens
from evalapp.accounts.models import Token


class HashedTokenAuthentication(TokenAuthentication):
    """Django REST framework's own, with tokens of which only a hash is stored."""

    def authenticate_credentials(self, key: str) -> tuple[AbstractBaseUser, Token]:
        now = timezone.now()
        token = tokens.find(key=key, now=now)
        if token is None:
            raise AuthenticationFailed("The token does not exist or has ended.")
        if tokens.rests(user=token.user, now=now):
            through = " through their institution"
            raise AuthenticationFailed(
                "The token is suspended: its owner has not logged in"
                f"{through if token.user.identity.is_current else ''} for"
                f" {settings.OIDC_TOKEN_DAYS} days. It works again once they do."
            )
        tokens.note_use(token=token, today=now.date())
        return token.user, token
