"""The random part of the texts that people rated, or parts that are tried instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from scoring.analyses.saved.result import Kind
from scoring.stats.data import NONE, Data
from scoring.stats.saving import correcting, draws, mapping, ranking, refusing
from scoring.stats.saving.correcting import Corrected
from scoring.stats.saving.forms import Forms, Known, Target, forms

TRIES = 40
NO_PROMPTS = (
    f"fewer than {correcting.LEAST_PROMPTS} prompts have a rating, so no metric is used"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One run of the analysis."""

    data: Data
    target: Target
    share: float
    places: list[int]  # of the systems; empty: all texts are taken as one
    system: np.ndarray  # (n,) of each text, among the places; NONE = left out


class Part(NamedTuple):
    """The texts of one aspect."""

    key: str  # of the aspect
    kind: Kind
    why: str  # what to do and why it is not "drawn", though a part is rated
    rows: np.ndarray  # (k,) texts that could have been drawn
    y: np.ndarray  # (k,) mean ratings, NaN = none
    stratum: np.ndarray  # (k,)
    n_rated: int  # texts; in each draw if tried
    ratings: int  # of these

    @property
    def drawn(self) -> bool:
        return self.kind == "drawn"


class Helped(NamedTuple):
    """What one metric does for the means."""

    place: int  # of the output
    saved: float  # share of ratings, NaN = not known
    low: float | None  # over draws
    high: float | None
    weight: float | None
    by_system: np.ndarray  # (S,) share saved
    means: Corrected
    n: np.ndarray  # (S,) rated texts
    n_texts: np.ndarray  # (S,)
    n_prompts: int  # with a rating, mean over draws
    reason: str
    seed: int  # of its draws


def asked(data: Data, target: Target, share: float) -> Asked:
    """Its systems are those that have texts; without names, all texts are one."""
    there = [n for n in range(len(data.systems)) if (data.texts.system == n).any()]
    at = np.full(len(data.systems) + 1, NONE)
    at[there] = np.arange(len(there))
    system = at[data.texts.system] if there else np.zeros(len(data.texts), np.int64)
    return Asked(data, target, share, there, system)


def how(data: Data) -> Literal["", "simple", "system"]:
    """How the study drew texts: from all, or from each system's; "" = it did not.

    Strata that hold texts of one system each are drawn by system.
    """
    drawn = data.drawn.stratum != NONE
    if not drawn.any():
        return ""
    both = np.stack([data.drawn.stratum[drawn], data.texts.system[drawn]])
    n_both = np.unique(both, axis=1).shape[1]
    return "system" if n_both == len(np.unique(both[0])) else "simple"


def part(asked: Asked, k: int) -> Part:
    """Which texts count for aspect k, and how the rated ones came to be rated."""
    data, key = asked.data, asked.data.aspects[k].key
    values, counts = data.human_means()
    rated = np.isfinite(values[:, k])
    frame = (asked.system != NONE) & data.of_one_level(rated)
    rated &= frame
    if not rated.any():
        none = np.flatnonzero(rated)
        return Part(key, "nothing", "", none, values[none, k], none, 0, 0)
    why = _why_not_drawn(data, frame, rated)
    if (frame & ~rated).any() and not why:
        # Ratings of other texts, as from a file, are of no draw.
        y = np.where(data.drawn.asked, values[:, k], np.nan)
        rows = np.flatnonzero(frame & (data.drawn.stratum != NONE))
        stratum = draws.by_group(data.drawn.stratum[rows])
        rated &= data.drawn.asked
        n = int(rated.sum())
        return Part(
            key, "drawn", "", rows, y[rows], stratum, n, _ratings(n, counts[rated, k])
        )
    rows = np.flatnonzero(rated)
    stratum = draws.by_group(asked.system[rows])
    n = int(draws.wanted(stratum, asked.share).sum())
    ratings = _ratings(n, counts[rated, k])
    return Part(key, "tried", why, rows, values[rows, k], stratum, n, ratings)


def _why_not_drawn(data: Data, frame: np.ndarray, rated: np.ndarray) -> str:
    """Why the rated texts of the frame are not all of a random draw; "" = they are."""
    if not (frame & ~rated).any():
        return ""
    if not len(data.drawn):
        return refusing.NOT_DRAWN
    drawn = frame & data.drawn.asked
    n_lacking = int((drawn & ~rated).sum())
    if n_lacking:
        return refusing.lacking(n_lacking, int(drawn.sum()))
    return "" if drawn.any() else refusing.NOT_DRAWN


def _ratings(n: int, counts: np.ndarray) -> int:
    """Of n texts, each rated as often as these are on average."""
    return round(n * float(np.maximum(counts, 1).mean()))


def helped(
    asked: Asked, part: Part, outputs: list[int], rng: np.random.Generator
) -> list[Helped]:
    """What each metric that scored these texts does; nothing where nobody rated."""
    if part.kind == "nothing":
        return []
    seed = int(rng.integers(2**32))  # the same draws for each metric
    tries = _tries(asked, part, seed, TRIES if part.kind == "tried" else 1)
    scores = asked.data.scores[part.rows]
    there = [k for k in outputs if np.isfinite(scores[:, k]).any()]
    return [_helped(asked, part, tries, k, scores[:, k], seed) for k in there]


class _Tries(NamedTuple):
    """Of each draw, what all metrics are given."""

    prompt: np.ndarray  # (k,) from 0
    drawn: list[np.ndarray]  # (k,) bool
    fold: list[np.ndarray]  # (k,)


def _tries(asked: Asked, part: Part, seed: int, n: int) -> _Tries:
    """One draw is that of the study, if it drew texts."""
    rng = np.random.default_rng(seed)
    found = _Tries(draws.by_group(asked.data.texts.prompt[part.rows]), [], [])
    for _ in range(n):
        drawn = np.ones(len(part.rows), bool)
        if part.kind == "tried":
            drawn = draws.draw(part.stratum, asked.share, rng).drawn
        found.drawn.append(drawn)
        found.fold.append(mapping.dealt(found.prompt, rng))
    return found


def _helped(
    asked: Asked, part: Part, tries: _Tries, place: int, scores: np.ndarray, seed: int
) -> Helped:
    shares, of_systems, weights, prompts = [], [], [], []
    first: tuple[Forms, Corrected] | None = None
    for found in _of_draws(asked, part, tries, scores):
        made = correcting.means(found, asked.target)
        first = first or (found, made)
        total, each = _saved(found, made)
        shares.append(total)
        of_systems.append(each)
        weights.append(float(made.weight.mean()))
        prompts.append(int(found.prompts.any(axis=0).sum()))
    n_prompts = round(float(np.mean(prompts)))
    return _summed(place, seed, first, np.array(shares), of_systems, weights, n_prompts)


def _summed(
    place: int,
    seed: int,
    first: tuple[Forms, Corrected] | None,
    shares: np.ndarray,
    of_systems: list[np.ndarray],
    weights: list[float],
    n_prompts: int,
) -> Helped:
    if first is None:
        raise ValueError("expected one draw or more")
    found, made = first
    known = shares[np.isfinite(shares)]
    low, high = (
        (float(end) for end in np.quantile(known, (0.025, 0.975)))
        if len(known) > 1
        else (None, None)
    )
    each = np.array(of_systems)
    there = np.isfinite(each)
    by_system = np.divide(
        np.where(there, each, 0).sum(axis=0), there.sum(axis=0),
        out=np.full(each.shape[1], np.nan), where=there.any(axis=0),
    )  # fmt: skip
    reason = next((why for why in made.corrected.reason if why), refusing.NEARLY)
    return Helped(
        place,
        float(known.mean()) if len(known) else np.nan,
        low,
        high,
        float(np.mean(weights)),
        by_system,
        made,
        found.n,
        found.n_texts,
        n_prompts,
        NO_PROMPTS if n_prompts < correcting.LEAST_PROMPTS else reason,
        seed,
    )


def differences(asked: Asked, part: Part, one: Helped) -> Corrected:
    """Of each two systems (`ranking.pairs`), in the draw that its means are of.

    Only for the metric that is shown: they are many, and need every text again.
    """
    scores = asked.data.scores[part.rows, one.place]
    found = next(_of_draws(asked, part, _tries(asked, part, one.seed, 1), scores))
    return correcting.differences(found, ranking.pairs(len(found.mean)), asked.target)


def _of_draws(
    asked: Asked, part: Part, tries: _Tries, scores: np.ndarray
) -> Iterator[Forms]:
    """With the ratings of each draw."""
    order = np.argsort(scores, kind="stable")
    n_systems, system = max(1, len(asked.places)), asked.system[part.rows]
    for drawn, fold in zip(tries.drawn, tries.fold, strict=True):
        y = np.where(drawn, part.y, np.nan)
        expected = mapping.crossed(scores, y, fold, order)
        scale = asked.data.scale_of(asked.data.aspect(part.key))
        known = Known(y, expected, system, tries.prompt, part.stratum, n_systems, scale)
        yield forms(known, asked.target)


def _saved(found: Forms, made: Corrected) -> tuple[float, np.ndarray]:
    """Share of the ratings saved of all systems together, and of each; NaN = unknown.

    A system whose intervals are refused counts with none of its ratings.
    """
    use = ~np.isnan(made.corrected.se) & ~np.isnan(made.people.se)
    use &= np.isfinite(made.like)
    each = np.where(use, 1 - found.n / np.where(use, made.like, 1), np.nan)
    if not use.any():
        return np.nan, each
    return float(1 - found.n[use].sum() / made.like[use].sum()), each
