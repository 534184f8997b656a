"""Which systems people prefer, from their votes on pairs of texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from scoring.analyses.preferences import judge, steady
from scoring.analyses.preferences.result import (
    Fit,
    Pair,
    Position,
    Question,
    Result,
    System,
)
from scoring.stats import jackknife, preference, signature, votes
from scoring.stats.data import Data, Votes
from scoring.stats.estimates import Estimate, number
from scoring.stats.option import option
from scoring.stats.preference import Preferences

TITLE = "Preferences"
VERSION = 4
PLACE = 80
GROUP = "Systems"
NEEDS = frozenset({"votes"})
UNITS = {"pair": "pairs of texts", "rater": "raters"}
RIDGE = 0.5  # virtual wins each way on each pair that has votes

Signed = Callable[..., str]  # a statistic, and parts that differ -> its signature


@dataclass(frozen=True)
class Options:
    """Which votes, and how they become a ranking. Votes are of systems, not of texts.

    So what chooses texts and ratings elsewhere is not asked for here.
    """

    question: str = option("", "Question", of="questions", none="each")
    systems: tuple[str, ...] = option((), "Systems", of="systems")
    unit: str = option(
        "pair",
        "Intervals for new",
        choices=(("pair", "pairs of texts"), ("rater", "raters")),
        help="The units that are left out in turn, with all their votes",
    )
    ridge: bool = option(
        False,
        "Shrink strengths towards each other",
        help="Adds half a win each way to each pair with votes, so that even a"
        " system that never loses has a strength",
    )
    half_ties: bool = option(False, "Count a tie as half a win for each")
    judge: str = option(
        "",
        "Judge beside people",
        of="judges",
        none="none",
        help="Its verdicts are shown next to people’s votes and never counted as votes",
    )
    seed: int = option(0, "Seed", min=0)

    @property
    def ties_as(self) -> preference.Ties:
        return "half" if self.half_ties else "davidson"


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """The ranking by each question."""
    kept = _chosen(data.votes, data, options)
    if options.question:
        kept &= data.votes.question == options.question
    cast = _rows(data.votes, kept)
    lengths = data.vote_lengths[kept] if data.vote_lengths.size else data.vote_lengths
    names = list(dict.fromkeys(cast.question.tolist()))
    found = []
    for name in names:
        own = cast.question == name
        of_own = lengths[own] if lengths.size else lengths
        found.append(_question(data, _rows(cast, own), of_own, name, options, rng))
    result: Result = {
        "unit": options.unit,
        "ridge": RIDGE if options.ridge else 0.0,
        "half_ties": options.half_ties,
        "n_votes": len(data.votes),
        "questions": found,
    }
    if options.judge:
        own = _chosen(data.judge_votes, data, options)
        own &= data.judge_votes.rater == options.judge
        result["judge"] = judge.find(
            data,
            _rows(data.judge_votes, own),
            cast,
            found,
            name=options.judge,
            rng=rng,
            ridge=RIDGE if options.ridge else 0.0,
            ties_as=options.ties_as,
            seed=options.seed,
        )
    return result


def _chosen(cast: Votes, data: Data, options: Options) -> np.ndarray:
    """Votes on systems that count, (k,) bool."""
    kept = np.ones(len(cast), bool)
    if options.systems:
        names = [system.name for system in data.systems]
        wanted = [names.index(name) for name in options.systems if name in names]
        kept &= np.isin(cast.first, wanted) & np.isin(cast.second, wanted)
    return kept


def _rows(cast: Votes, kept: np.ndarray) -> Votes:
    columns = {name: getattr(cast, name)[kept] for name in cast.__dataclass_fields__}
    return replace(cast, **columns)


def _question(
    data: Data,
    cast: Votes,
    lengths: np.ndarray,
    name: str,
    options: Options,
    rng: np.random.Generator,
) -> Question:
    units = _units(cast, options)
    made = preference.bradley_terry(
        cast.first,
        cast.second,
        cast.outcome,
        len(data.systems),
        unit=units,
        ridge=RIDGE if options.ridge else 0.0,
        ties_as=options.ties_as,
    )

    def signed(statistic: str, **more: signature.Part) -> str:
        """What every number of this question depends on."""
        common: dict[str, signature.Part] = {
            "question": name or None,
            "votes": len(cast),
            "ties": options.ties_as,
            "ridge": RIDGE if options.ridge else None,
            "systems": ",".join(options.systems) or None,
            "interval": "jackknife-t",
            "unit": options.unit,
        }
        return signature.text(statistic, **{**common, **more})

    read = votes.read(cast.first, cast.second, cast.outcome, len(data.systems), units)
    nu = made.fitted.nu
    signed_nu = signed("davidson nu", interval=None, unit=None)
    return {
        "question": name,
        "n_votes": len(cast),
        "n_ties": int((cast.outcome == votes.TIE).sum()),
        "n_pairs": len(np.unique(cast.pair)),
        "n_raters": len(set(cast.rater.tolist()) - {""}),
        "n_units": len(np.unique(units)),
        "systems": _systems(data, made, UNITS[options.unit], signed("bradley-terry")),
        "pairs": _pairs(data, read, made, signed),
        "nu": number(
            Estimate(nu, reason=_why_no_nu(made, options), signature=signed_nu)
        ),
        "tie_rate": None if nu is None else nu / (2 + nu),
        "components": [
            [data.systems[at].name for at in members]
            for members in made.fitted.components
        ],
        "left_out": _left_out(data, made, options),
        "position": _position(cast, read, signed),
        "fit": _fit(made, signed),
        "steady": steady.find(data, read, cast.ordered, lengths, signed),
    }


def _fit(made: Preferences, signed: Signed) -> Fit:
    found = made.fit
    made_of = signed("chi2", interval=None, unit=None)
    return {
        **number(Estimate(found.chi2, reason=found.reason, signature=made_of)),
        "df": found.df,
        "p": found.p,
        "smallest": found.smallest,
    }


def _units(cast: Votes, options: Options) -> np.ndarray:
    """What is left out together. A vote of nobody in particular is its own unit."""
    if options.unit == "pair":
        return cast.pair
    alone = np.char.add("\0", np.arange(len(cast)).astype(str))
    return np.where(cast.rater == "", alone, cast.rater)


def _why_no_nu(made: Preferences, options: Options) -> str | None:
    if made.fitted.nu is not None:
        return None
    return "ties count as half wins" if options.half_ties else "no strengths"


def _left_out(data: Data, made: Preferences, options: Options) -> list[str]:
    """Systems that were asked for, or all, without a vote."""
    names = [data.systems[at].name for at in made.fitted.left_out]
    return [name for name in names if not options.systems or name in options.systems]


def _systems(data: Data, made: Preferences, units: str, signed: str) -> list[System]:
    """Systems with votes: component by component, the strongest first."""
    found: list[System] = []
    for component, members in enumerate(made.fitted.components, 1):
        for at in _ranked(made, members):
            ranks = made.ranks[at]
            found.append(
                {
                    "place": at,
                    "system": data.systems[at].name,
                    "kind": data.systems[at].kind,
                    "component": component,
                    "elo": number(
                        jackknife.over(made.elo[at], units).with_signature(signed)
                    ),
                    "strength": number(
                        jackknife.over(made.strengths[at], units).with_signature(signed)
                    ),
                    "best": ranks[0] if ranks else None,
                    "worst": ranks[1] if ranks else None,
                    "n": made.elo[at].n,
                    "won": int(made.wins[at].sum()),
                    "lost": int(made.wins[:, at].sum()),
                    "tied": int(made.ties[at].sum()),
                    "n_undefined": made.n_undefined[at],
                }
            )
    return found


def _ranked(made: Preferences, members: tuple[int, ...]) -> list[int]:
    """Of one component, the strongest first."""
    return sorted(members, key=lambda at: -(made.elo[at].value or 0))


def _pairs(
    data: Data, cast: votes.Votes, made: Preferences, signed: Signed
) -> list[Pair]:
    """Each two systems with votes, the stronger first: won, lost, tied, share won."""
    total = made.wins + made.wins.T + made.ties
    ranked = [at for members in made.fitted.components for at in _ranked(made, members)]
    found: list[Pair] = []
    for i, j in combinations(ranked, 2):
        if not total[i, j]:
            continue
        names = data.systems[i].name, data.systems[j].name
        share = votes.share_won(cast, i, j)
        found.append(
            {
                "first": names[0],
                "second": names[1],
                "won": int(made.wins[i, j]),
                "lost": int(made.wins[j, i]),
                "tied": int(made.ties[i, j]),
                "share": number(
                    share.with_signature(
                        signed(
                            "share won",
                            of=" over ".join(names),
                            ridge=None,
                            interval="wilson",
                        )
                    )
                ),
            }
        )
    return found


def _position(cast: Votes, read: votes.Votes, signed: Signed) -> Position:
    """Of the votes of which it is known which text was shown first."""
    known = cast.ordered
    first, second, outcome, unit = (column[known] for column in read[:4])
    rows = votes.Votes(first, second, outcome, unit, read.n_items)
    found = votes.position(rows)
    made_of = signed("share won by the first", ties=None, ridge=None, interval="wilson")
    share = number(found.share.with_signature(made_of))
    return {**share, "p": found.p, "n_unknown": int((~known).sum())}
