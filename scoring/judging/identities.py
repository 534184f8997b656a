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
    return (
        [judge]
        if judge
        else [*filter(None, map(_judge_of_option, signature.text.split("|")))]
    )


def judge_of(signature: Signature) -> Judge | None:
    """The judge whose answers were read; None for a signature of anything else."""
    head, separator, tail = signature.text.rpartition("|aspects:")
    answered = head.partition("|answered:")[2]
    parameters = tail.partition(ASKS)[2].partition("|")[0]
    endpoint, slash, model = parameters.partition("/")
    return Judge(endpoint, model, answered) if separator and slash else None


def _judge_of_option(part: str) -> Judge | None:
    """Of an option, as `scoring.metrics.judge.likelihood` signs for its model."""
    # Behind: how the server gives them, and what it does with the first token.
    scored_model, *how = part.partition(":")[2].rsplit(", ", 2)
    named, _, answered = scored_model.partition(ANSWERED)
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


def display_name(who: JudgeIdentity) -> str:
    """As signatures write it."""
    name = who.model_answered or UNNAMED
    return f"{name} ({who.fingerprint})" if who.fingerprint else name


def changes(signatures: Iterable[Signature]) -> list[Change]:
    """Where the last to answer is not the one whose scores these are.

    Two queries for each name of a judge, none without a judge over the network.
    """
    changes, by_judge = [], {}
    judged = [
        (signature, judge) for signature in signatures for judge in judges_of(signature)
    ]
    for signature, judge in judged:
        name = judge._replace(answered="")
        if name not in by_judge:
            by_judge[name] = identities(judge)
        if change := _change(judge, by_judge[name], signature):
            changes.append(change)
    return changes


def changes_in(study: Study) -> list[Change]:
    """Of all judges over the network that scored texts of a study. Few queries."""
    asks = Q(text__contains=ASKS) | Q(text__contains=OF_TEXTS)
    signatures = Signature.objects.filter(asks, runs__study=study)
    return changes(signatures.order_by("pk").distinct())


def _change(
    judge: Judge, identities: list[JudgeIdentity], signature: Signature
) -> Change | None:
    if not identities:
        return None
    last = max(identities, key=_last_seen)
    if not judge.answered:
        return _newcomer(judge, identities, last, signature)
    if display_name(last) == judge.answered:
        return None
    # It may have answered long ago, too: it does so again since the others stopped.
    last_times = [
        identity.last_seen for identity in identities if identity.pk != last.pk
    ]
    since = max([last.first_seen, *last_times])
    return Change(judge, display_name(last), since, signature.pk)


def _newcomer(
    judge: Judge,
    identities: list[JudgeIdentity],
    last: JudgeIdentity,
    signature: Signature,
) -> Change | None:
    """Somebody who had not answered yet when the scores were made."""
    ended = signature.runs.aggregate(at=Max("finished_at"))["at"]
    earlier = [identity for identity in identities if identity.pk != last.pk]
    if not ended or not earlier or last.first_seen <= ended:
        return None
    then = judge._replace(answered=display_name(max(earlier, key=_last_seen)))
    return Change(then, display_name(last), last.first_seen, signature.pk, apart=False)


def _last_seen(who: JudgeIdentity) -> tuple[datetime, int]:
    return who.last_seen, who.pk


def title(judge: Judge) -> str:
    """What pages call it."""
    return configuration.title(f"{configuration.PREFIX}{judge.endpoint}/{judge.model}")
