"""What the environment says of the institution. Imports no package that may be missing.

`settings.py` reads it before there are apps.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from evalapp import environment

# allauth's own extra `socialaccount` brings the others.
PACKAGES = ("allauth", "jwt", "oauthlib", "requests")
APPS = (
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
)
MIDDLEWARE = ("allauth.account.middleware.AccountMiddleware",)
# Not owner: a study would lose its last one because someone left a group.
ROLES = ("viewer", "editor")
NAMES = frozenset(
    f"OIDC_{name}"
    for name in "URL CLIENT_ID CLIENT_SECRET CLIENT_SECRET_FILE NAME SCOPES"
    " GROUPS_CLAIM STAFF_GROUP SPENDING_GROUP ALLOWED_GROUPS STUDY_GROUPS LINK_BY_EMAIL"
    " TOKEN_DAYS".split()
)
WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True)
class Institution:
    """Whose accounts may log in, and what their groups are worth here."""

    url: str  # the issuer, without a slash at its end
    client_id: str
    client_secret: str = field(repr=False)
    name: str
    scopes: tuple[str, ...]
    groups_claim: str
    staff_group: str
    allowed_groups: frozenset[str]
    study_groups: Mapping[str, Mapping[str, str]]  # group: {study: role}
    link_by_email: bool
    spending_group: str = ""

    def admits(self, groups: frozenset[str]) -> bool:
        return not self.allowed_groups or bool(self.allowed_groups & groups)

    def makes_staff(self, groups: frozenset[str]) -> bool:
        return bool(self.staff_group) and self.staff_group in groups

    def lets_spend(self, groups: frozenset[str]) -> bool:
        return bool(self.spending_group) and self.spending_group in groups

    def roles(self, groups: frozenset[str]) -> dict[str, str]:
        """The role in each study. Of several groups the highest counts."""
        found: dict[str, str] = {}
        for group in groups & self.study_groups.keys():
            for study, role in self.study_groups[group].items():
                found[study] = max(found.get(study, role), role, key=ROLES.index)
        return found


def from_environment() -> Institution | None:
    """The institution, or None where OIDC_URL is not set.

    Raises:
        ImproperlyConfigured: If a value is wrong or missing, or a package is.
    """
    given = {n for n, value in os.environ.items() if n.startswith("OIDC_") and value}
    _refuse_misspelt(given)
    if "OIDC_URL" not in given:
        return None
    _ask_for_packages()
    return Institution(
        url=_issuer("OIDC_URL"),
        client_id=_needed("OIDC_CLIENT_ID"),
        client_secret=environment.secret("OIDC_CLIENT_SECRET")
        or _needed("OIDC_CLIENT_SECRET"),
        name=environment.text("OIDC_NAME", "your institution"),
        scopes=tuple(environment.words("OIDC_SCOPES", "openid,profile,email")),
        groups_claim=environment.text("OIDC_GROUPS_CLAIM", "groups"),
        staff_group=environment.text("OIDC_STAFF_GROUP", ""),
        spending_group=environment.text("OIDC_SPENDING_GROUP", ""),
        allowed_groups=frozenset(environment.words("OIDC_ALLOWED_GROUPS")),
        study_groups=_study_groups("OIDC_STUDY_GROUPS"),
        link_by_email=environment.boolean("OIDC_LINK_BY_EMAIL", False),
    )


def password_login(institution: Institution | None) -> bool:
    """Whether people may log in with a password of this site."""
    allowed = environment.boolean("PASSWORD_LOGIN", True)
    if not allowed and institution is None:
        raise ImproperlyConfigured(
            "PASSWORD_LOGIN=False needs OIDC_URL: otherwise nobody could log in."
        )
    return allowed


def _refuse_misspelt(given: set[str]) -> None:
    """OIDC_ALLOWED_GROUP, without its S, would let everybody in."""
    if unknown := given - NAMES:
        raise ImproperlyConfigured(
            f"{min(unknown)} is not a setting. Use one of {', '.join(sorted(NAMES))}."
        )
    if given and "OIDC_URL" not in given:
        raise ImproperlyConfigured(
            f"{min(given)} is set, but OIDC_URL is not: set the address of your"
            " provider, too."
        )


def _ask_for_packages() -> None:
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ImproperlyConfigured(
            "OIDC_URL is set, but django-allauth is not installed. Run"
            " .venv/bin/python -m pip install -r requirements-server.txt"
            f" (missing: {', '.join(missing)})."
        )


def _needed(name: str) -> str:
    if value := os.environ.get(name):
        return value
    raise ImproperlyConfigured(
        f"OIDC_URL is set, so {name} is needed. Your provider shows it where you"
        " registered EvalApp."
    )


def _issuer(name: str) -> str:
    value = os.environ[name].strip().removesuffix(WELL_KNOWN).rstrip("/")
    parts = urlsplit(value)
    wrong = parts.query or parts.fragment or parts.username
    if wrong or not is_private(value):
        raise ImproperlyConfigured(
            f"{name}={value}: expected the address of the provider (its “issuer”),"
            " such as https://login.example.org/realms/lab."
        )
    return value


def is_private(address: str) -> bool:
    """By https; or on this machine. Elsewhere, http would send the secret in clear."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    by_https = parts.scheme == "https" and bool(host)
    return by_https or (parts.scheme == "http" and _is_this_machine(host))


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _study_groups(name: str) -> dict[str, dict[str, str]]:
    """Read `nlp-lab=ferry:editor, students=ferry:viewer`."""
    found: dict[str, dict[str, str]] = {}
    for rule in environment.words(name):
        group, _, rest = rule.rpartition("=")
        study, _, role = rest.partition(":")
        if not group.strip() or not study or role not in ROLES:
            raise ImproperlyConfigured(
                f"{name}: “{rule}” was not understood. Expected GROUP=STUDY:ROLE, such"
                f" as nlp-lab=ferry:editor. Roles are {' and '.join(ROLES)}."
            )
        roles = found.setdefault(group.strip(), {})
        roles[study] = max(roles.get(study, role), role, key=ROLES.index)
    return found
