"""Data of made-up studies, for analyses that need no database."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring.stats.answer import surface
from scoring.stats.data import (
    NONE,
    Aspect,
    Data,
    ErrorMarks,
    Evaluators,
    MarkedTexts,
    MarkedWords,
    MetricMarks,
    NegativeRatings,
    Negatives,
    Output,
    Ratings,
    System,
    Texts,
    Votes,
)


def output(key: str = "quality", metric: str = "judge", **facts) -> Output:
    """One output; its id is its metric and key."""
    facts.setdefault("higher_is_better", True)
    facts.setdefault("measures", None)
    facts.setdefault("variant", "")
    return Output(
        id=f"{metric}:{key}",
        metric=metric,
        key=key,
        label=f"{metric}: {key}",
        signature=f"{metric}|v:1",
        **facts,
    )


def by_reference_kind(data: Data) -> Data:
    """The same with TER in place of the first metrics: with each kind of reference."""
    kinds = ("prewritten", "targeted", "all")
    outputs = [
        replace(
            output("ter", metric="ter", higher_is_better=False, variant=kind),
            id=f"{kind}:ter",
            options=f'{{"reference_kind": "{kind}"}}',
        )
        for kind in kinds
    ]
    scores = np.abs(data.scores[:, [0, 1, 0]]) * [10.0, 10.0, 5.0]
    return replace(data, outputs=outputs, scores=scores, evaluators=[])


def with_marks(data: Data, *, raters: int = 3, seed: int = 0) -> Data:
    """The same, with errors that people marked, and two metrics: one good, one bad.

    The errors of a text are the same for all. Each judge leaves some out, moves a
    border and sometimes names them otherwise. The bad metric marks other places, and
    has not read the first text.
    """
    rng = np.random.default_rng([seed, 58])
    n = len(data.texts)
    length = rng.integers(80, 160, size=n)
    rows = [
        (text, judge, *mark)
        for text in range(n)
        for errors in [rng.integers(0, length[text] - 30, size=rng.integers(0, 4))]
        for judge in (*(f"w{k}" for k in range(raters)), "good", "bad")
        if not (judge == "bad" and text == 0)
        for mark in _marks(errors, judge, int(length[text]), rng)
    ]
    people = [row for row in rows if row[1] not in ("good", "bad")]
    words = [("lorem ipsum dolor " * 10)[:size] for size in length]
    return replace(
        data,
        marked_texts=MarkedTexts(np.arange(n), length, np.zeros(n, np.int64)),
        marked_words=MarkedWords(
            np.arange(n), np.array(words, np.str_), np.array([""] * n, np.str_)
        ),
        error_marks=ErrorMarks.of(
            (text, rater, True, text, False, *place) for text, rater, *place in people
        ),
        metric_marks=MetricMarks.of(row for row in rows if row[1] in ("good", "bad")),
    )


def _marks(
    errors: np.ndarray, judge: str, length: int, rng: np.random.Generator
) -> list[tuple[object, ...]]:
    """What one judge marks; one row without a place where it is nothing."""
    marks = []
    for start in errors.tolist():
        if judge == "bad":
            start = int(rng.integers(length - 30))
        if rng.random() < 0.8:
            category = "fluency" if rng.random() < 0.3 else "accuracy"
            severity = "major" if rng.random() < 0.4 else "minor"
            end = start + 10 + int(rng.integers(8))
            marks.append((start, end, category, severity, "text"))
    return marks or [(NONE, NONE, "", "", "text")]


def data(
    *,
    prompts: int = 6,
    systems: int = 3,
    samples: int = 1,
    raters: int = 3,
    aspects: tuple[str, ...] = ("coherence", "fluency"),
    noise: tuple[float, ...] = (0.5, 2.0),
    discarded: float = 0.1,
    negatives: bool = True,
    votes: int = 0,
    seeds: int = 0,
    seed: int = 0,
) -> Data:
    """A study whose first metric follows quality closely and the next ones less.

    Every prompt has a text of each system for each sample number, every text a rating
    of each rater on each aspect, some on discarded pages. The last output is a length.
    With `seeds`, a divergence gives each system so many numbers; a count has no seeds.
    """
    rng = np.random.default_rng(seed)
    cells = [
        (p, s, k)
        for p in range(prompts)
        for s in range(systems)
        for k in range(samples)
    ]
    texts = _texts(np.array(cells, np.int64).reshape(-1, 3))
    n, prompt, system = len(cells), texts.prompt, texts.system
    quality = rng.normal(size=n) + system * 0.8 + rng.normal(size=prompts)[prompt]
    outputs = [output(f"q{i}", higher_is_better=True) for i in range(len(noise))]
    scores = [quality + rng.normal(size=n) * spread for spread in noise]
    outputs.append(output("words", metric="length"))
    scores.append(rng.integers(5, 60, size=n).astype(float))
    return Data(
        study="made",
        scale=(1, 5),
        aspects=[Aspect(key, key.capitalize()) for key in aspects],
        systems=[System(f"s{i}") for i in range(systems)],
        texts=texts,
        ratings=_ratings(quality, raters, len(aspects), discarded, rng),
        outputs=outputs,
        scores=np.stack(scores, axis=1),
        **(
            _negatives(texts, raters, len(aspects), len(outputs), rng)
            if negatives
            else {}
        ),
        votes=(cast := _votes(votes, prompts, systems, rng)),
        vote_lengths=_vote_lengths(len(cast), seed),
        surface=_surface(scores[-1], seed),
        **(of_systems(systems, seeds) if seeds else {}),
        evaluators=[_evaluators(quality, seed)],
        policy="v1",
    )


def _texts(cells: np.ndarray) -> Texts:
    """A text for each prompt, system and sample, (n, 3)."""
    prompt, system, sample = cells.T
    return Texts(
        key=np.array([f"{p}-{s}-{k}" for p, s, k in cells], np.str_),
        prompt=prompt,
        prefix=prompt // 2,
        label=np.array(["positive", "negative"])[prompt % 2],
        system=system,
        sample=sample + 1,
        pair=np.full(len(cells), "", np.str_),
        excluded=np.zeros(len(cells), bool),
    )


def _surface(words: np.ndarray, seed: int) -> np.ndarray:
    """The length that is scored, and features that know nothing."""
    found = np.random.default_rng([seed, 8]).random((len(words), len(surface.NAMES)))
    found[:, surface.NAMES.index("words")] = words
    return found


def of_systems(systems: int, seeds: int) -> dict:
    """A divergence, lower for later systems, and a count with its closeness."""
    rng = np.random.default_rng([systems, seeds])
    found = np.full((systems, 3, seeds), np.nan)
    later = np.arange(systems)[:, np.newaxis]
    found[:, 0] = systems - later + rng.normal(size=(systems, seeds)) / 2
    found[:, 1, 0] = 1 + later[:, 0] / 10
    found[:, 2, 0] = -np.abs(found[:, 1, 0] - 1.2)
    outputs = [
        output("kl", metric="clusters", higher_is_better=False),
        output("zipf", metric="zipf", higher_is_better=None),
        output("zipf_closeness", metric="zipf"),
    ]
    return {"system_outputs": outputs, "system_seeds": found}


def _evaluators(quality: np.ndarray, seed: int) -> Evaluators:
    """Four of the first metric, the same for all texts, each worse than the last."""
    rng = np.random.default_rng([seed, 4])
    noise = rng.normal(size=(len(quality), 4)) * [0.5, 1, 2, 4]
    s = quality[:, np.newaxis] + noise
    return Evaluators("judge:q0", s, rng.uniform(0.5, 2, size=s.shape))


def _ratings(
    quality: np.ndarray,
    raters: int,
    aspects: int,
    discarded: float,
    rng: np.random.Generator,
) -> Ratings:
    n = len(quality)
    shape = n, aspects, raters
    text, aspect, rater = (at.ravel() for at in np.indices(shape))
    raw = quality[text] + rng.normal(size=len(text))
    page = text * raters + rater  # every rater has a page for each text
    return Ratings(
        text=text,
        aspect=aspect,
        rater=np.array([f"w{i}" for i in rater], np.str_),
        value=np.clip(np.round(raw + 3), 1, 5).astype(np.int64),
        valid=~(rng.random(n * raters) < discarded)[page],
        page=page,
        position=np.ones(len(text), np.int64),
        seconds=np.full(len(text), 30.0),
        informed=np.zeros(len(text), bool),
    )


def _negatives(
    texts: Texts, raters: int, aspects: int, outputs: int, rng: np.random.Generator
) -> dict:
    """One for each prompt, made of its first text."""
    names = np.unique(texts.prompt)
    m = len(names)
    negative, aspect, rater = (at.ravel() for at in np.indices((m, aspects, raters)))
    kinds = np.array(["shuffle", "drop"])
    return {
        "negatives": Negatives(
            name=np.array([f"survey {i + 1}" for i in range(m)], np.str_),
            source=np.array(
                [np.flatnonzero(texts.prompt == p)[0] for p in names], np.int64
            ),
            perturbation=kinds[np.arange(m) % 2],
            hurts=np.full(m, "coherence"),
            prompt=names,
        ),
        "negative_ratings": NegativeRatings(
            negative=negative,
            aspect=aspect,
            rater=np.array([f"w{i}" for i in rater], np.str_),
            value=rng.integers(1, 4, size=len(negative)),
            valid=np.ones(len(negative), bool),
            page=negative * raters + rater,
            informed=np.zeros(len(negative), bool),
        ),
        "negative_scores": rng.normal(size=(m, outputs)) - 1,
    }


def _votes(k: int, prompts: int, systems: int, rng: np.random.Generator) -> Votes:
    if not k or systems < 2:
        return Data("", (1, 5), [], [], _no_texts()).votes
    first = rng.integers(systems, size=k)
    second = (first + rng.integers(1, systems, size=k)) % systems
    better = 1 / (1 + np.exp(-(first - second) * 0.5))
    drawn = rng.random(k)
    outcome = np.where(drawn < 0.1, 0, np.where(drawn < 0.1 + 0.9 * better, 1, 2))
    return Votes(
        pair=np.array(
            [f"p{i}" for i in rng.integers(max(1, prompts), size=k)], np.str_
        ),
        question=np.full(k, "", np.str_),
        first=first,
        second=second,
        ordered=np.ones(k, bool),
        rater=np.array([f"w{i}" for i in rng.integers(5, size=k)], np.str_),
        outcome=outcome,
    )


def _vote_lengths(k: int, seed: int) -> np.ndarray:
    """Words of both texts; those of the first vote are not known."""
    if not k:
        return np.empty((0, 0))
    # Of their own, so that the other numbers stay as they are.
    found = np.random.default_rng([seed, k]).integers(5, 60, size=(k, 2)).astype(float)
    found[0] = np.nan
    return found


def _no_texts() -> Texts:
    whole, words = np.empty(0, np.int64), np.empty(0, "U1")
    return Texts(words, whole, whole, words, whole, whole, words, np.empty(0, bool))


def without_systems(data: Data) -> Data:
    """The same texts with nobody named who wrote them, so no vote and no number."""
    unknown = np.full(len(data.texts), NONE)
    return replace(
        data,
        systems=[],
        texts=replace(data.texts, system=unknown),
        system_seeds=data.system_seeds[:0],
        votes=_votes(0, 0, 0, np.random.default_rng(1)),
    )
