"""Let a person of the institution in, or not; and what their groups are worth here.

Who someone is, their provider's subject says, never a name. An existing account is
attached only by its owner (`link`), by the operator, or, if the operator allows it, by
an e-mail address that the provider has verified.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation import studies
from evalapp.accounts.institution_settings import Institution
from evalapp.accounts.models import Identity
from evalapp.contrib.institution.claims import Person
from evalapp.spending import permission

# Who comes in twice at one moment, or takes a name that another takes, is tried again.
TRIES = 3

log = logging.getLogger(__name__)


class Refused(Exception):
    """They may not come in. The message says why, and what to do."""


def admit(*, person: Person, institution: Institution, now: datetime) -> User:
    """The account that this login opens, created if there is none.

    Raises:
        Refused: If the institution, or an administrator, does not let them in.
    """

    def come_in() -> Identity | str:
        identity = _identity_of(person)
        if said := _why_not(identity, person, institution, now):
            return said
        attached = identity or _attach(person, institution, now)
        if isinstance(attached, Identity):
            _follow(attached, person, institution, now)
        return attached

    return _unless_refused(come_in, person).user


def link(
    *, user: User, person: Person, institution: Institution, now: datetime
) -> None:
    """Attach an account at the institution to the one that its owner is logged in with.

    Raises:
        Refused: If it belongs to someone else, or may not come in.
    """

    def attach() -> Identity | str:
        identity = _identity_of(person)
        if identity and identity.user_id != user.pk:
            return (
                f"Your account at {institution.name} is linked to another account of"
                " this site already."
            )
        if identity is None and _is_known(user, person):
            # Else whoever has left would stay in by the account of someone else.
            return (
                "This account is linked to another account at"
                f" {institution.name} already. Ask your administrator to unlink it."
            )
        if said := _why_not(identity, person, institution, now):
            return said
        # Read again: a try that was rolled back has changed the one in memory.
        identity = identity or _linked(User.objects.get(pk=user.pk), person, now)
        _follow(identity, person, institution, now)
        return identity

    _unless_refused(attach, person)


def _unless_refused(come_in: Callable[[], Identity | str], person: Person) -> Identity:
    """What `come_in` finds; or `Refused` with what it says.

    Raised after the transaction, so that an account that was closed in it stays closed.
    """
    found = _again_if_taken(come_in)
    if isinstance(found, str):
        log.warning("login refused to subject %r: %s", person.subject, found)
        raise Refused(found)
    return found


def _again_if_taken(come_in: Callable[[], Identity | str]) -> Identity | str:
    """Whoever was a moment faster is found the next time, and a taken name is known."""
    for _ in range(TRIES - 1):
        with suppress(IntegrityError), transaction.atomic():
            return come_in()
    with transaction.atomic():
        return come_in()


def _identity_of(person: Person) -> Identity | None:
    """Locked with its account, so that nobody closes it while they come in."""
    found = Identity.objects.select_for_update(of=("self", "user"))
    found = found.select_related("user")
    return found.filter(issuer=person.issuer, subject=person.subject).first()


def _why_not(
    identity: Identity | None, person: Person, institution: Institution, now: datetime
) -> str:
    """Why they may not come in; their account is closed until the groups say other."""
    if not institution.admits(person.groups):
        if identity and identity.user.is_active:
            _set_active(identity, False, since=now)
        if not person.says_groups:
            log.warning("the provider sent no claim “%s”", institution.groups_claim)
        return (
            f"Your account at {institution.name} is not in a group that may use this"
            " site. Ask your administrator which group you need."
        )
    if identity and not identity.user.is_active and not identity.refused_at:
        return "Your account on this site is closed. Ask your administrator to open it."
    return ""


def _set_active(identity: Identity, active: bool, *, since: datetime | None) -> None:
    """Sessions and tokens of an account that is not active let nobody in."""
    identity.user.is_active, identity.refused_at = active, since
    identity.user.save(update_fields=["is_active"])
    identity.save(update_fields=["refused_at"])


def _attach(person: Person, institution: Institution, now: datetime) -> Identity | str:
    """A new account; or why not, if one has the same e-mail address."""
    same = []
    if person.email:
        same = list(User.objects.filter(email__iexact=person.email)[:2])
    if same:
        return _of_same_address(same, person, institution, now)
    user = User(
        username=_free(person.username),
        email=person.email,
        first_name=person.first_name,
        last_name=person.last_name,
    )
    user.set_unusable_password()
    user.save()
    return _linked(user, person, now)


def _of_same_address(
    same: list[User], person: Person, institution: Institution, now: datetime
) -> Identity | str:
    known = any(_is_known(user, person) for user in same)
    if len(same) == 1 and same[0].is_active and not known and institution.link_by_email:
        return _linked(same[0], person, now)
    if found := _identity_of(person):  # they came in elsewhere at this moment
        return found
    said = f"An account on this site already uses your e-mail address, {person.email}."
    if known:
        return f"{said} Ask your administrator."
    return (
        f"{said} If it is yours, log in with its password and link it on the Account"
        " page. Otherwise, ask your administrator."
    )


def _is_known(user: User, person: Person) -> bool:
    """Whether the institution has given this account's address to someone else."""
    return Identity.objects.filter(user=user, issuer=person.issuer).exists()


def _linked(user: User, person: Person, now: datetime) -> Identity:
    """One that the account had at a former provider, or under another name, ends."""
    identity = Identity.objects.filter(user=user).first() or Identity(user=user)
    identity.issuer, identity.subject = person.issuer, person.subject
    identity.seen_at = now
    identity.save()
    return identity


def _free(wanted: str) -> str:
    """This name, or with a number: a name alone never opens someone else's account."""
    name, number = wanted, 1
    while User.objects.filter(username__iexact=name).exists():
        number += 1
        end = f"-{number}"
        name = wanted[: 150 - len(end)] + end
    return name


def _follow(
    identity: Identity, person: Person, institution: Institution, now: datetime
) -> None:
    """Read the groups again. What was granted by hand stays."""
    user, staff = identity.user, institution.makes_staff(person.groups)
    if identity.refused_at:
        _set_active(identity, True, since=None)
    if staff and not user.is_staff:
        user.is_staff = identity.staff_by_group = True
    elif identity.staff_by_group and not staff:
        user.is_staff = identity.staff_by_group = False
    user.save(update_fields=["is_staff"])
    spends = institution.lets_spend(person.groups)
    if spends and permission.allow(user):
        identity.spends_by_group = True
    elif identity.spends_by_group and not spends:
        permission.disallow(user)
        identity.spends_by_group = False
    identity.seen_at = now
    identity.save()
    roles = institution.roles(person.groups)
    studies.follow_groups(user=user, roles=roles, now=now)
