"""A judge's verdicts as the votes of one voter, apart from those of people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from annotation.models import Study
from annotation.page_kinds.tables import VoteRow
from scoring.endpoints import configuration
from scoring.judging import pairs
from scoring.judging.pairs import Duel, Verdict
from scoring.models import JudgeTrial


class Ballot(NamedTuple):
    """One vote of a judge."""

    voter: str
    pair: str  # as people's votes on these texts call it
    question: str
    first: int  # ids of systems
    second: int
    outcome: int  # of `Vote.Outcome`


def name(trial: JudgeTrial) -> str:
    """As who its verdicts vote."""
    endpoint, model = configuration.split_name(trial.options["model"])
    return f"{model} on {endpoint}, comparison {trial.pk}"


def names(*, study: Study) -> list[str]:
    """Voters that may be shown beside people, the newest first. One query."""
    return [name(trial) for trial in done(study=study).defer("result", "setup")]


def stamp(*, study: Study) -> str:
    """Changes when there is another voter, or none, or one votes on more pairs.

    "" without any. One query.
    """
    finished = done(study=study).values_list("pk", "finished_at")
    return ",".join(f"{pk} {ended or ''}" for pk, ended in finished)


def done(*, study: Study) -> QuerySet[JudgeTrial]:
    return with_verdicts(study.judge_trials.all())


def with_verdicts(trials: QuerySet[JudgeTrial]) -> QuerySet[JudgeTrial]:
    """Comparisons that have ended well, also while they go on with a higher limit."""
    return trials.filter(kind=JudgeTrial.Kind.PAIRS).exclude(result={})


def ballots(*, study: Study, people: Sequence[VoteRow]) -> list[Ballot]:
    """All votes of all judges; texts that are excluded or gone have none.

    Args:
        study: Whose texts were compared.
        people: Its votes by people, whose names of pairs are taken over.
    """
    trials = list(done(study=study).order_by("pk"))
    if not trials:
        return []
    texts = study.generations.filter(excluded_at=None)
    systems: dict[int, int | None] = dict(texts.values_list("pk", "system_id"))
    called = _duel_names(study, people)
    return [ballot for trial in trials for ballot in _of(trial, systems, called)]


def _of(
    trial: JudgeTrial, systems: dict[int, int | None], called: dict[Duel, str]
) -> Iterator[Ballot]:
    verdicts: list[Verdict] = trial.result.get("verdicts", [])
    for verdict in verdicts:
        first, second = systems.get(verdict["first"]), systems.get(verdict["second"])
        if verdict["outcome"] is None or first is None or second is None:
            continue
        if first == second:  # renamed and merged since
            continue
        duel = verdict["first"], verdict["second"]
        yield Ballot(
            voter=name(trial),
            pair=called.get(duel, f"texts {duel[0]} and {duel[1]}"),
            question=trial.setup["title"],
            first=first,
            second=second,
            outcome=verdict["outcome"],
        )


def _duel_names(study: Study, people: Sequence[VoteRow]) -> dict[Duel, str]:
    """What people's votes call the pair of two texts."""
    names: dict[Duel, str] = {}
    for vote, duel in zip(
        people, pairs.duels_of_votes(study=study, votes=people), strict=True
    ):
        if duel is not None:
            names.setdefault(duel, vote.pair)
    return names
