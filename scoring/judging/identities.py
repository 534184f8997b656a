"""Who answers under the name of a judge, and since when it is somebody else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Max, Q

from annotation.models import Study
from scoring.endpoints import configuration
from scoring.models import JudgeIdentity, Signature

ASKS = "|endpoint:"  # in the text of a signature of a judge over the network
OF_TEXTS = f":{configuration.PREFIX}"  # of a metric that asks for those of texts
ANSWERED = " answered by "  # in the text of the latter
UNNAMED = "unnamed"  # who answers without saying which model it is


class Judge(NamedTuple):
    """Whom a signature asked, and who answered."""

    endpoint: str
    model: str
    # Model, and its fingerprint in brackets where it has one. "": anybody, where the
    # operator does not want others apart.
    answered: str


class Change(NamedTuple):
    """The server answers as somebody else by now."""

    judge: Judge
    now: str
    since: datetime
    signature_id: int
    apart: bool = True  # whether its scores would get a column of their own


def judges_of(signature: Signature) -> list[Judge]:
    """All whom it asked over the network, for answers or for log-probabilities."""
    judge = judge_of(signature)
    return [judge] if judge else [*filter(None, map(_told, signature.text.split("|")))]


def judge_of(signature: Signature) -> Judge | None:
    """The judge whose answers were read; None for a signature of anything else."""
    head, found, tail = signature.text.rpartition("|aspects:")
    answered = head.partition("|answered:")[2]
    asked = tail.partition(ASKS)[2].partition("|")[0]
    endpoint, slash, model = asked.partition("/")
    return Judge(endpoint, model, answered) if found and slash else None


def _told(part: str) -> Judge | None:
    """Of an option, as `scoring.metrics.judge.likelihood` signs for its model."""
    # Behind: how the server gives them, and what it does with the first token.
    told, *how = part.partition(":")[2].rsplit(", ", 2)
    named, _, answered = told.partition(ANSWERED)
    endpoint, slash, model = named.removeprefix(configuration.PREFIX).partition("/")
    if not (slash and len(how) == 2 and named.startswith(configuration.PREFIX)):
        return None
    return Judge(endpoint, model, answered)


def identities(judge: Judge) -> list[JudgeIdentity]:
    """Everybody who answered under this name, by when they did first. One query."""
    return list(
        JudgeIdentity.objects.filter(
            endpoint=judge.endpoint, model_asked=judge.model
        ).order_by("first_seen", "pk")
    )


def last(endpoint: str, model: str) -> JudgeIdentity | None:
    """Who was the last to answer under this name. One query."""
    rows = JudgeIdentity.objects.filter(endpoint=endpoint, model_asked=model)
    return rows.order_by("last_seen", "pk").last()


def named(who: JudgeIdentity) -> str:
    """As signatures write it."""
    name = who.model_answered or UNNAMED
    return f"{name} ({who.fingerprint})" if who.fingerprint else name


def changes(signatures: Iterable[Signature]) -> list[Change]:
    """Where the last to answer is not the one whose scores these are.

    Two queries for each name of a judge, none without a judge over the network.
    """
    found, known = [], {}
    asked = [(one, judge) for one in signatures for judge in judges_of(one)]
    for signature, judge in asked:
        name = judge._replace(answered="")
        if name not in known:
            known[name] = identities(judge)
        if change := _change(judge, known[name], signature):
            found.append(change)
    return found


def changes_in(study: Study) -> list[Change]:
    """Of all judges over the network that scored texts of a study. Few queries."""
    asks = Q(text__contains=ASKS) | Q(text__contains=OF_TEXTS)
    asked = Signature.objects.filter(asks, runs__study=study)
    return changes(asked.order_by("pk").distinct())


def _change(
    judge: Judge, known: list[JudgeIdentity], signature: Signature
) -> Change | None:
    if not known:
        return None
    last = max(known, key=_last_seen)
    if not judge.answered:
        return _newcomer(judge, known, last, signature)
    if named(last) == judge.answered:
        return None
    # It may have answered long ago, too: it does so again since the others stopped.
    others = [one.last_seen for one in known if one.pk != last.pk]
    since = max([last.first_seen, *others])
    return Change(judge, named(last), since, signature.pk)


def _newcomer(
    judge: Judge, known: list[JudgeIdentity], last: JudgeIdentity, signature: Signature
) -> Change | None:
    """Somebody who had not answered yet when the scores were made."""
    ended = signature.runs.aggregate(at=Max("finished_at"))["at"]
    others = [one for one in known if one.pk != last.pk]
    if not ended or not others or last.first_seen <= ended:
        return None
    then = judge._replace(answered=named(max(others, key=_last_seen)))
    return Change(then, named(last), last.first_seen, signature.pk, apart=False)


def _last_seen(who: JudgeIdentity) -> tuple[datetime, int]:
    return who.last_seen, who.pk


def title(judge: Judge) -> str:
    """What pages call it."""
    return configuration.title(f"{configuration.PREFIX}{judge.endpoint}/{judge.model}")
