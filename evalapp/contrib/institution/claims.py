"""What a provider says of a person, read with care: each provider says it its own way.

Plain Python.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

LONGEST_NAME, LONGEST_SUBJECT, LONGEST_EMAIL = 150, 255, 254
NOT_IN_A_NAME = re.compile(r"[^\w.+-]")


class Unusable(ValueError):
    """The provider's answer cannot be used. The message is for the operator."""


class Person(NamedTuple):
    issuer: str
    subject: str  # never given to someone else, unlike a name or an address
    username: str  # what they would like to be called here
    email: str  # only one that the provider has verified
    first_name: str
    last_name: str
    groups: frozenset[str]
    says_groups: bool  # whether the provider sent the claim at all


def read(
    *,
    issuer: str,
    client_id: str,
    id_token: Mapping[str, Any],
    userinfo: Mapping[str, Any],
    groups_claim: str,
) -> Person:
    """The person, of the signed token and of what the provider adds.

    Raises:
        Unusable: If they are about two people, about nobody, or for someone else.
    """
    _check_party(id_token, client_id)
    subject = id_token.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise Unusable(f"expected a subject of 1 to {LONGEST_SUBJECT} characters")
    if not subject.isprintable():
        raise Unusable("the subject has characters that cannot be stored")
    if userinfo and userinfo.get("sub") != subject:
        # OpenID Connect Core 5.3.2: else one person's token could carry another's data.
        raise Unusable("the ID token and the user information name different subjects")
    said = {**id_token, **userinfo}
    groups = _groups(_found(userinfo, groups_claim), _found(id_token, groups_claim))
    first, _, last = _words(said, "name").partition(" ")
    return Person(
        issuer=issuer,
        subject=subject,
        username=_username(said, subject),
        email=_verified(userinfo) or _verified(id_token),
        first_name=(_words(said, "given_name") or first)[:LONGEST_NAME],
        last_name=(_words(said, "family_name") or last)[:LONGEST_NAME],
        groups=groups or frozenset(),
        says_groups=groups is not None,
    )


def _check_party(id_token: Mapping[str, Any], client_id: str) -> None:
    """Whether it was made for us (OpenID Connect Core 3.1.3.7, 4 and 5).

    A token with several audiences may be one that another application has asked for.
    """
    audience = id_token.get("aud")
    several = isinstance(audience, list) and len(audience) > 1
    if several and id_token.get("azp") != client_id:
        raise Unusable(
            "the ID token was made for another application: expected the claim azp to"
            " be OIDC_CLIENT_ID"
        )


def _words(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c for c in text if c.isprintable()).split())


def _verified(said: Mapping[str, Any]) -> str:
    """The address, if the same answer says that it is verified; some say "true".

    As it is: changed, it would be someone else's. Only ASCII: a database may take two
    letters that look alike for one, and open an account to a look-alike address.
    """
    address = said.get("email")
    if said.get("email_verified") not in (True, "true") or not isinstance(address, str):
        return ""
    is_plain = address.isascii() and address.isprintable() and " " not in address
    return address if is_plain and len(address) <= LONGEST_EMAIL else ""


def _username(said: Mapping[str, Any], subject: str) -> str:
    """The first of these that leaves something of a name.

    Never an e-mail address: owners add members by name or address, and would let in
    whoever has taken another's address for a name.
    """
    for text in (_words(said, "preferred_username"), _words(said, "email"), subject):
        # As the login form reads it: another spelling is another account's name there.
        text = unicodedata.normalize("NFKC", text)
        before = text.partition("@")[0].replace(" ", ".")
        if name := NOT_IN_A_NAME.sub("", before)[:LONGEST_NAME]:
            return name
    return "person"


def _found(said: Mapping[str, Any], claim: str) -> Any:
    """The claim of this name, or the one inside others: `realm_access.roles`."""
    if claim in said:
        return said[claim]
    inside: Any = said
    for part in claim.split("."):
        inside = inside.get(part) if isinstance(inside, Mapping) else None
    return inside


def _groups(*claims: Any) -> frozenset[str] | None:
    """The groups of the first claim that there is; None where there is none."""
    for claim in claims:
        if isinstance(claim, str):
            return frozenset([claim])
        if isinstance(claim, list):
            return frozenset(one for one in claim if isinstance(one, str))
    return None
