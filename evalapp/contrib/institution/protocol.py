"""OpenID Connect itself, as django-allauth speaks it, with our own words and pages.

allauth asks the provider, checks the answers and hands over what they say. Its own
accounts, sign-up and pages are never reached: every way through it ends in `Adapter`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import (
    OpenIDConnectProvider,
)
from allauth.socialaccount.providers.openid_connect.views import (
    OpenIDConnectOAuth2Adapter,
)
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from requests import RequestException

from evalapp.accounts.institution_settings import (
    WELL_KNOWN,
    Institution,
    is_private,
)
from evalapp.contrib.institution import claims
from evalapp.contrib.institution.claims import Person

ID = "institution"
LOGIN, LINK = "login", "connect"  # allauth's words for what a login is for
# What allauth and a provider's answer may raise, whatever the provider sends.
WRONG = (
    *(OAuth2Error, RequestException, claims.Unusable),
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    RecursionError,
)
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint")
LONGEST_ADDRESS = 4000  # servers refuse longer ones


class Problem(Exception):
    """What ended a login: "away", "cancelled", "expired" or "broken"."""

    def __init__(self, what: str, told: str) -> None:
        self.what, self.told = what, told  # `told` is for the operator
        super().__init__(what)


class Answer(NamedTuple):
    """Of a login that the provider has let through."""

    person: Person
    process: str  # LOGIN or LINK
    user: int | None  # who was logged in when it began
    next_url: str
    log_out: str  # where they may log out of the institution, too; may be empty


class _Heard(Exception):
    """Leaves allauth's way before it looks for an account of its own."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        super().__init__()


class Endpoints(OpenIDConnectOAuth2Adapter):
    """The provider's addresses, and its answers."""

    @property
    def openid_config(self) -> dict[str, Any]:
        found: dict[str, Any] = super().openid_config
        issuer = str(found.get("issuer", "")).rstrip("/")
        if issuer != _institution().url:
            raise OAuth2Error(
                f"OIDC_URL is {_institution().url}, the provider calls itself {issuer}"
            )
        for name in ENDPOINTS:
            if name in found and not is_private(address := str(found[name])):
                raise OAuth2Error(f"expected https in {name}, got {address[:200]}")
        return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """By PUBLIC_URL: a provider compares it with what is registered."""
        return callback_url()

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: object, **kwargs: Any
    ) -> SocialLogin:
        """Keep the ID token, which the provider wants to see again at a log-out."""
        raw = kwargs["response"].get("id_token")
        if not raw:
            raise OAuth2Error("the provider sent no ID token")
        login = super().complete_login(request, app, token, **kwargs)
        login.account.extra_data["log_out"] = self._log_out_url(raw)
        return login

    def _log_out_url(self, id_token: str) -> str:
        """Where they may log out of the institution, too; empty if it has no such."""
        address = self.openid_config.get("end_session_endpoint")
        if not isinstance(address, str) or not address.startswith(("https:", "http:")):
            return ""
        client = _institution().client_id
        start = f"{address}{'&' if '?' in address else '?'}"
        full = start + urlencode({"id_token_hint": id_token, "client_id": client})
        # Hundreds of groups make a token that no address can hold.
        short = start + urlencode({"client_id": client})
        return full if len(full) <= LONGEST_ADDRESS else short


class Provider(OpenIDConnectProvider):
    oauth2_adapter_class = Endpoints

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        """All that was said, unread: allauth would refuse what `claims` can read, such
        as a subject of 200 characters."""
        account = SocialAccount(provider=ID, uid="", extra_data=response)
        return SocialLogin(account=account)


class Adapter(DefaultSocialAccountAdapter):
    """The one provider of the settings: none of those that allauth keeps in tables."""

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> Provider:
        return Provider(request, app=_app(_institution()))

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """The provider has said who they are. The rest is ours."""
        said, state = sociallogin.account.extra_data, sociallogin.state
        answer = Answer(
            person=_person(_institution(), said),
            process=state["process"],
            user=state["data"]["user"],
            next_url=state.get("next", ""),
            log_out=said["log_out"],
        )
        raise _Heard(answer)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Provider,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: Mapping[str, Any] | None = None,
    ) -> None:
        if exception is not None:
            raise _problem_of(exception)
        said = request.GET.get("error", "")[:100]
        if error == AuthError.CANCELLED or said == "access_denied":
            raise Problem("cancelled", "access_denied")
        if said:
            raise Problem("broken", f"the provider answered with the error {said!r}")
        raise Problem("expired", "the state of the login is unknown")


def begin(request: HttpRequest, process: str, next_url: str) -> str:
    """Where to send the browser.

    Raises:
        Problem: If the provider does not say.
    """
    provider = Adapter(request).get_provider(request, ID)
    try:
        answer = provider.redirect(
            request, process, next_url=next_url, data={"user": request.user.pk}
        )
    except WRONG as error:
        raise _problem_of(error) from error
    return str(answer["Location"])


def complete(request: HttpRequest) -> Answer:
    """Ask the provider about what it sent with the browser.

    Raises:
        Problem: If there is nothing usable in it.
    """
    view = OAuth2CallbackView.adapter_view(Endpoints(request, ID))
    try:
        view(request)
    except _Heard as heard:
        return heard.answer
    except WRONG as error:
        raise _problem_of(error) from error
    raise Problem("broken", "the login ended without an answer")


def discover() -> dict[str, Any]:
    """What the provider says of itself, for the operator.

    Raises:
        Problem: If it says nothing usable.
    """
    try:
        return Endpoints(HttpRequest(), ID).openid_config
    except WRONG as error:
        raise _problem_of(error) from error


def callback_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('institution_callback')}"


def _institution() -> Institution:
    """There is one wherever this file is loaded."""
    assert settings.INSTITUTION is not None
    return settings.INSTITUTION


def _app(institution: Institution) -> SocialApp:
    """Never saved: the secret stays out of the database."""
    return SocialApp(
        provider=OpenIDConnectProvider.id,
        provider_id=ID,
        name=institution.name,
        client_id=institution.client_id,
        secret=institution.client_secret,
        settings={
            "server_url": institution.url + WELL_KNOWN,
            "scope": list(institution.scopes),
            "oauth_pkce_enabled": True,
        },
    )


def _person(institution: Institution, said: Mapping[str, Any]) -> Person:
    return claims.read(
        issuer=institution.url,
        client_id=institution.client_id,
        id_token=said["id_token"],
        userinfo=said.get("userinfo") or {},
        groups_claim=institution.groups_claim,
    )


def _problem_of(error: Exception) -> Problem:
    # An answer that is no JSON is both: it has come, but says nothing.
    away = isinstance(error, RequestException) and not isinstance(error, ValueError)
    what = "away" if away else "broken"
    return Problem(what, f"{type(error).__name__}: {error}"[:500])
