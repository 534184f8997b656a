"""A judge behind an address, beside people's votes and never among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scoring.analyses.preferences.result import (
    Agreement,
    Judge,
    JudgedSystem,
    Question,
)
from scoring.stats import beside, jackknife, preference, signature, votes
from scoring.stats.data import Data, Votes
from scoring.stats.estimates import number
from scoring.stats.preference import Preferences, Ties

Signed = Callable[..., str]


def find(
    data: Data,
    cast: Votes,
    people: Votes,
    questions: Sequence[Question],
    *,
    name: str,
    rng: np.random.Generator,
    ridge: float,
    ties_as: Ties,
    seed: int,
) -> Judge:
    """Its strengths, and how far it agrees with the votes on its own question.

    Args:
        data: The study.
        cast: Votes of this judge.
        people: Votes of people on all questions that were chosen.
        questions: What they show, by question.
        name: Of the judge.
        rng: Where replicates come from.
        ridge: As for people.
        ties_as: As for people.
        seed: Of the options, for the signatures.
    """
    asked = str(cast.question[0]) if len(cast) else ""
    # A file without questions has one, and does not say which.
    same = [one for one in questions if one["question"] in (asked, "")]
    matched = same[0] if same else None
    common: dict[str, signature.Part] = {
        **{"judge": name, "question": asked or None, "votes": len(cast)},
        **{"ties": ties_as, "ridge": ridge or None, "seed": seed},
    }
    made = preference.bradley_terry(
        *(cast.first, cast.second, cast.outcome, len(data.systems)),
        unit=cast.pair,
        ridge=ridge,
        ties_as=ties_as,
    )
    return {
        "name": name,
        "question": asked,
        "n_votes": len(cast),
        "n_ties": int((cast.outcome == votes.TIE).sum()),
        "people": matched["question"] if matched else None,
        "systems": _systems(
            data, made, matched, signature.text("bradley-terry", **common)
        ),
        "agreement": _agreement(cast, people, matched, common, rng),
    }


def _systems(
    data: Data, made: Preferences, matched: Question | None, signed: str
) -> list[JudgedSystem]:
    """Those with verdicts or votes; the judge's strongest first."""
    of_people = {
        one["place"]: one["elo"] for one in (matched or {"systems": []})["systems"]
    }
    found: list[JudgedSystem] = [
        {
            "place": at,
            "system": system.name,
            "kind": system.kind,
            "judge": number(
                jackknife.over(made.elo[at], "pairs of texts").with_signature(signed)
            ),
            "people": of_people.get(at),
        }
        for at, system in enumerate(data.systems)
        if made.elo[at].n or at in of_people
    ]
    return sorted(found, key=lambda one: -(one["judge"]["value"] or -np.inf))


def _agreement(
    cast: Votes,
    people: Votes,
    matched: Question | None,
    common: dict[str, signature.Part],
    rng: np.random.Generator,
) -> Agreement | None:
    """On pairs that both saw; None where people were asked something else."""
    if matched is None:
        return None
    verdict = dict(zip(cast.pair.tolist(), _winners(cast), strict=True))
    on = np.array([pair in verdict for pair in people.pair.tolist()], bool)
    own = on & (people.question == matched["question"])
    pair = people.pair[own]
    found = beside.agreement(
        np.array([verdict[one] for one in pair.tolist()], np.float64),
        np.array(_winners(people), np.float64)[own],
        pair,
        rng=rng,
    )
    return {
        "n_pairs": found.n_pairs,
        "n_votes": found.n_votes,
        "judge": number(
            found.judge.with_signature(signature.text("agreement", **common))
        ),
        "people": number(
            found.people.with_signature(
                signature.text("agreement", of="people", **common)
            )
        ),
        "kappa": number(
            jackknife.over(found.kappa, "pairs of texts").with_signature(
                signature.text("cohen-kappa", **common)
            )
        ),
    }


def _winners(cast: Votes) -> list[int]:
    """The system that each vote is for, -1 for a tie: whichever stands first."""
    won = np.where(cast.outcome == votes.SECOND, cast.second, cast.first)
    return np.where(cast.outcome == votes.TIE, -1, won).tolist()
