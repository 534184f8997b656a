"""Pages of made-up workers and of real people, for `quality_defaults`.

Real people are those of MANS and HANNA. Who is who is known within a text only, and
nobody rated damaged texts: the negative is another text of the same prompt, with the
rating that a person gave it, lowered by what damage costs a careful or a noisy worker.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotation.careless.common_scale import CommonScale
from annotation.quality.power import HIGHEST, LOWEST
from annotation.quality.rater_kinds import BLIND, KINDS, TEXT_SPREAD

SCALE = range(1, 6)
TEXTS = 4  # real ones on a page
PAGES = 16  # of each worker; the first 8 are those that the table is about
CHARACTERS = 1200  # of a made-up page
CROWD = {"careful": 0.6, "noisy": 0.2, "random": 0.2}  # the others on the same texts
OTHERS = 2
KEYS = ("coherence", "consistency", "relevance")


class Rated(NamedTuple):
    """One page, before it is judged: the negative stands last."""

    ratings: np.ndarray  # (texts + 1, aspects)
    others: np.ndarray  # (people, texts + 1, aspects)
    characters: int


class Case(NamedTuple):
    """A study: how its pages come about."""

    name: str
    hurts: int  # aspects, the first ones
    honest: dict[str, str]  # kind -> what it is called here
    pages: Callable[[str, np.random.Generator], list[Rated]]  # of one worker


def blind(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Answers of who reads nothing."""
    same = rng.random() < BLIND[kind]
    return np.broadcast_to(rng.choice(SCALE, (1, 1) if same else shape), shape).copy()


# Made-up people -----------------------------------------------------------------------


def simulated(hurts: int) -> Case:
    def pages(kind: str, rng: np.random.Generator) -> list[Rated]:
        bias = rng.normal(0, KINDS[kind].bias) if kind in KINDS else 0.0
        crowd = [str(k) for k in rng.choice([*CROWD], OTHERS, p=[*CROWD.values()])]
        found = []
        for _ in range(PAGES):
            truth = _truth(rng)
            found.append(
                Rated(
                    ratings=_rate(kind, truth, hurts, bias, rng),
                    others=np.array([_rate(k, truth, hurts, 0, rng) for k in crowd]),
                    characters=CHARACTERS,
                )
            )
        return found

    honest = {"careful": "careful", "noisy": "noisy"}
    return Case(f"simulated, {hurts} hurt", hurts, honest, pages)


def _truth(rng: np.random.Generator) -> np.ndarray:
    """Of the undamaged texts, (texts + 1, aspects)."""
    means = np.linspace(LOWEST, HIGHEST, TEXTS)
    each = np.append(means, rng.choice(means))[:, None]
    return each + rng.normal(0, TEXT_SPREAD, (TEXTS + 1, len(KEYS)))


def _rate(
    kind: str, truth: np.ndarray, hurts: int, bias: float, rng: np.random.Generator
) -> np.ndarray:
    if kind not in KINDS:
        return blind(kind, truth.shape, rng)
    felt = truth + bias + rng.normal(0, KINDS[kind].noise, truth.shape)
    felt[-1, :hurts] -= KINDS[kind].drop
    ends = (SCALE[0], SCALE[-1])
    return CommonScale((ends,) * felt.shape[-1]).on_scale(felt)


# Real people --------------------------------------------------------------------------


class Real(NamedTuple):
    """Ratings of real people; who is who is not known beyond a text."""

    ratings: np.ndarray  # (prompts, systems, raters, aspects)
    characters: np.ndarray  # (prompts, systems)


def mans(folder: Path) -> Real:
    """One aspect. Ratings are sorted within a text: they are shuffled here."""
    stored = json.loads((folder / "openmeva_mans" / "mans_roc.json").read_text())
    texts = [list(prompt["gen"].values()) for prompt in stored.values()]
    ratings = [[text["score"] for text in of_prompt] for of_prompt in texts]
    lengths = [[len(text["text"]) for text in of_prompt] for of_prompt in texts]
    shuffled = np.random.default_rng(1).permuted(np.array(ratings), axis=2)
    return Real(shuffled[..., None], np.array(lengths))


def hanna(folder: Path) -> Real:
    """Coherence, relevance and engagement; all three of a rater stay together."""
    csv.field_size_limit(10**9)
    path = folder / "hanna" / "hanna_metric_scores_llm.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [[f"Human {n} {key}" for key in ("CH", "RE", "EG")] for n in (1, 2, 3)]
    ratings = [[[json.loads(r[c]) for c in own] for own in names] for r in rows]
    words = np.array([json.loads(row["Text length ¤§"]) for row in rows]).T
    return Real(np.array(ratings).transpose(3, 0, 1, 2), words * 5)


def replayed(name: str, real: Real, hurts: int) -> Case:
    n_prompts, n_systems, n_raters, _ = real.ratings.shape

    def page(kind: str, prompt: int, rng: np.random.Generator) -> Rated:
        systems = rng.permutation(n_systems)[: TEXTS + 1]
        raters = rng.permutation(n_raters)[: OTHERS + 1]
        rated = real.ratings[prompt][systems][:, raters].transpose(1, 0, 2)
        own, others = rated[0].copy(), rated[1:].copy()
        for row in range(len(others)):
            if rng.random() < CROWD["random"]:
                others[row] = blind("random", own.shape, rng)
        if kind in KINDS:
            fall = KINDS[kind].drop
            # Whole points, so that they fall by so much on average.
            fallen = int(fall) + (rng.random(hurts) < fall % 1)
            own[-1, :hurts] = np.maximum(own[-1, :hurts] - fallen, SCALE[0])
        else:
            own = blind(kind, own.shape, rng)
        return Rated(own, others, int(real.characters[prompt, systems].sum()))

    def pages(kind: str, rng: np.random.Generator) -> list[Rated]:
        prompts = rng.choice(n_prompts, PAGES, replace=False)
        return [page(kind, prompt, rng) for prompt in prompts]

    honest = {"careful": "sees the damage (2.0)", "noisy": "sees some of it (1.2)"}
    return Case(f"{name}, {hurts} hurt", hurts, honest, pages)


def cases(data: Path | None) -> Iterator[Case]:
    for hurts in (1, 2, 3):
        yield simulated(hurts)
    if data is None:
        print("(No replays: --data names the folder of the public sets.)")
        return
    yield replayed("MANS", mans(data), 1)
    for hurts in (1, 2, 3):
        yield replayed("HANNA", hanna(data), hurts)
