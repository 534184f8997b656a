"""Votes as arrays: those of people, and apart from them those of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.models import Study
from annotation.page_kinds.tables import VoteRow
from scoring.judging import judge_votes
from scoring.stats.data import Votes


def of_people(rows: Sequence[VoteRow], systems: Mapping[int, int]) -> Votes:
    """Votes of files and pages; `systems` says at which place an id stands."""
    return Votes.of(
        (
            *(vote.pair, vote.question, systems[vote.first], systems[vote.second]),
            *(vote.ordered, vote.rater, vote.outcome),
        )
        for vote in rows
    )


def of_judges(
    study: Study, people: Sequence[VoteRow], systems: Mapping[int, int]
) -> Votes:
    """Verdicts of all judges of a study, each of which is one rater."""
    rows = judge_votes.ballots(study=study, people=people)
    return Votes.of(  # of which both orders were asked
        (pair, question, systems[first], systems[second], False, voter, outcome)
        for voter, pair, question, first, second, outcome in rows
    )
