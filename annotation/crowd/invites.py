"""Invite links: one person, one link, and the study knows it as one worker.

A link lets one browser in, the first that begins with it: links are forwarded, and
stand in histories. Other browsers are asked for the personal code.

Only the hash of a link's token is kept: it is of no use to a reader of the database.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation import events, platforms
from annotation.models import Invite, Recipient, Study, Worker

PARAMETER = "invite"  # of the link
MOST_AT_ONCE = 500
MOST_CHARACTERS = 200  # of a name
MARK = 16  # characters of a link's hash, by which a browser shows that it had the link

# The id under which an invited worker is known. No link of another kind may carry it.
INVITED = re.compile(r"invite-([0-9]{1,18})")


class InviteError(ValueError):
    """These people cannot be invited. The message says what would do."""


class Refused(Exception):
    """The token belongs to no invite of this study, or to a revoked one."""


class Made(NamedTuple):
    invite: Invite
    token: str  # kept nowhere


class Renewed(NamedTuple):
    invite: Invite
    token: str  # kept nowhere
    before: str  # the hash of the older link; empty for none
    was_taken: bool  # whether a browser had begun with that


def new_token() -> str:
    return secrets.token_urlsafe(24)


def create(
    *,
    study: Study,
    names: Sequence[str],
    now: datetime,
    user: User | None = None,
    token: Callable[[], str] = new_token,
) -> list[Made]:
    """Invite people; their tokens can be read from the answer only.

    Raises:
        InviteError: If someone of that name is invited already, or nobody can be.
    """
    wanted = [name.strip() for name in names if name.strip()]
    with transaction.atomic():
        # A form that is sent twice comes in turn, and finds the names taken.
        locked = Study.objects.select_for_update().get(pk=study.pk)
        _refuse_unless_possible(locked, wanted)
        tokens = [token() for _ in wanted]
        made = [
            Made(Invite(study=locked, name=name, digest=_digest(one)), one)
            for name, one in zip(wanted, tokens, strict=True)
        ]
        Invite.objects.bulk_create(one.invite for one in made)
        detail = f"{len(made)} {'person' if len(made) == 1 else 'people'}"
        events.log(study=locked, verb="invited", now=now, user=user, detail=detail)
    return made


def make_again(*, recipient: Recipient, study: Study) -> Renewed:
    """A link for an email: a first one, or a new one in place of an older.

    The person stays the same worker. The older link ends, because a token can be sent
    only while it is made: nothing but its hash is kept.
    """
    token, invite = new_token(), recipient.invite
    with transaction.atomic():
        if invite is None:
            name = recipient.name or "by email"
            invite = Invite.objects.create(
                study=study, name=name, digest=_digest(token)
            )
            recipient.invite = invite
            recipient.save(update_fields=["invite"])
            return Renewed(invite, token, "", was_taken=False)
    return _renewed(invite, token)


def renew(*, invite: Invite, now: datetime, user: User) -> Made:
    """A new link for someone who was invited: it lets one more browser in.

    They stay the same worker with all their work. The older link ends.
    """
    with transaction.atomic():
        renewed = _renewed(invite, new_token())
        events.log(
            study=invite.study,
            verb="renewed-invite",
            now=now,
            user=user,
            about=f"invite {invite.pk}",
        )
    return Made(invite, renewed.token)


def _renewed(invite: Invite, token: str) -> Renewed:
    before, was_taken = invite.digest, invite.taken
    invite.digest, invite.taken = _digest(token), False
    invite.save(update_fields=["digest", "taken"])
    return Renewed(invite, token, before, was_taken)


def undo(made: Renewed) -> None:
    """The mail went nowhere, so the older link stays good."""
    if made.before:
        older = {"digest": made.before, "taken": made.was_taken}
        Invite.objects.filter(pk=made.invite.pk).update(**older)
    else:
        made.invite.delete()


def revoke(*, invite: Invite, now: datetime, user: User) -> None:
    """Let nobody in by this link any more. What was rated by it stays."""
    with transaction.atomic():
        still_good = Invite.objects.filter(pk=invite.pk, revoked_at=None)
        if still_good.update(revoked_at=now):
            about = f"invite {invite.pk}"
            events.log(
                study=invite.study,
                verb="revoked-invite",
                now=now,
                user=user,
                about=about,
            )


def of_tokens(*, study: Study, tokens: Sequence[str]) -> list[Made]:
    """The study's invites that these tokens belong to, in the order of the tokens."""
    by_digest = {_digest(token): token for token in tokens}
    rows = study.invites.filter(digest__in=by_digest)
    found = {invite.digest: invite for invite in rows}
    return [
        Made(found[digest], token)
        for digest, token in by_digest.items()
        if digest in found
    ]


# Who comes ----------------------------------------------------------------------------


def external_id(*, study: Study, token: str) -> str:
    """The id of the worker whom this token invites. Writes nothing.

    Raises:
        Refused: If the token is unknown in this study, or revoked.
    """
    good = study.invites.filter(digest=_digest(token), revoked_at=None)
    invite = good.first()
    if invite is None or study.platform != platforms.DIRECT:
        raise Refused
    return f"invite-{invite.pk}"


def mark_of(token: str) -> str:
    """What a browser keeps of a link. No token can be made of it."""
    return _digest(token)[:MARK]


def lets_in(*, worker: Worker, mark: str) -> bool:
    """Whether this worker's link has let in no browser yet, and `mark` is of it."""
    return len(mark) == MARK and _open(worker, mark).exists()


def take(*, worker: Worker, mark: str) -> None:
    """A browser has begun with the link: it lets no other in."""
    if len(mark) == MARK:
        _open(worker, mark).update(taken=True)


def _open(worker: Worker, mark: str) -> QuerySet[Invite]:
    match = INVITED.fullmatch(worker.external_id)
    if match is None:
        return worker.study.invites.none()
    open_ones = worker.study.invites.filter(taken=False, revoked_at=None)
    return open_ones.filter(pk=int(match[1]), digest__startswith=mark)


def is_invited(external_id: str) -> bool:
    return INVITED.fullmatch(external_id) is not None


def admits(*, study: Study, external_id: str | None) -> bool:
    """Whether who is known by this id, or by none yet, may take part.

    No query but for the invited: most studies invite nobody.
    """
    found = INVITED.fullmatch(external_id or "")
    if found is None:
        return not study.invited_only
    return study.invites.filter(pk=int(found[1]), revoked_at=None).exists()


def bind(*, worker: Worker) -> None:
    """Note who came by the invite, so that researchers see that it is used."""
    if found := INVITED.fullmatch(worker.external_id):
        unused = worker.study.invites.filter(pk=int(found[1]), worker=None)
        unused.update(worker=worker)


def _digest(token: str) -> str:
    # The token has 192 random bits: nobody finds it by trying, so no salt is needed.
    return hashlib.sha256(token.encode()).hexdigest()


def _refuse_unless_possible(study: Study, names: Sequence[str]) -> None:
    if study.platform != platforms.DIRECT:
        raise InviteError(
            f"Workers of this study come from {study.get_platform_display()}. Invite"
            f' links need the platform "{platforms.label(platforms.DIRECT)}".'
        )
    if study.state == Study.State.CLOSED:
        raise InviteError("The study is closed: nobody can start any more.")
    if not 1 <= len(names) <= MOST_AT_ONCE:
        raise InviteError(f"Enter 1 to {MOST_AT_ONCE} names, one per line.")
    if any(len(name) > MOST_CHARACTERS for name in names):
        raise InviteError(f"A name can have up to {MOST_CHARACTERS} characters.")
    invited = study.invites.filter(name__in=names, revoked_at=None)
    again = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    again += invited.values_list("name", flat=True)
    if again:
        raise InviteError(
            f"Invited already, or named twice: {', '.join(again[:10])}. Revoke the old"
            " link first, or use another name."
        )
