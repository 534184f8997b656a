"""Votes as arrays: those of people, and apart from them those of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.models import Study
from annotation.page_kinds.tables import Vote
from scoring.judging import judge_votes
from scoring.stats.data import Votes


def of_people(rows: Sequence[Vote], systems: Mapping[int, int]) -> Votes:
    """Votes of files and pages; `systems` says at which place an id stands."""
    pair, question, first, second, ordered, rater, outcome, *_ = (
        zip(*rows, strict=True) if rows else [()] * 7
    )
    return Votes(
        np.array(pair, np.str_),
        np.array(question, np.str_),
        np.array([systems[pk] for pk in first], np.int64),
        np.array([systems[pk] for pk in second], np.int64),
        np.array(ordered, np.bool_),
        np.array(rater, np.str_),
        np.array(outcome, np.int64),
    )


def of_judges(
    study: Study, people: Sequence[Vote], systems: Mapping[int, int]
) -> Votes:
    """Verdicts of all judges of a study, each of which is one rater."""
    rows = judge_votes.ballots(study=study, people=people)
    voter, pair, question, first, second, outcome = (
        zip(*rows, strict=True) if rows else [()] * 6
    )
    return Votes(
        np.array(pair, np.str_),
        np.array(question, np.str_),
        np.array([systems[pk] for pk in first], np.int64),
        np.array([systems[pk] for pk in second], np.int64),
        np.zeros(len(rows), np.bool_),  # both orders were asked
        np.array(voter, np.str_),
        np.array(outcome, np.int64),
    )
