"""Made-up raters of texts that have a judge's answers, too."""

from __future__ import annotations

import numpy as np

from scoring.stats.copying.honest import Question

POINTS = 5


def made(
    rng: np.random.Generator,
    *,
    raters: int = 20,
    texts: int = 30,
    each: int = 3,
    copiers: int = 0,
    strict: float = 0.6,
    ordered: bool = True,
) -> Question:
    """Raters who differ in strictness and care; the first ones copy the judge."""
    n_texts = raters * texts // each
    true = rng.normal(0, 1, n_texts)
    text = np.concatenate([rng.permutation(n_texts) for _ in range(each)])
    rater = np.repeat(np.arange(raters), texts)
    bias = rng.normal(0, strict, raters)[rater]
    noise = rng.uniform(0.5, 1.2, raters)[rater] * rng.normal(0, 1, len(text))
    answer = on_scale(true[text] + bias + noise)
    judge = on_scale(true + rng.normal(0, 0.7, n_texts))
    answer = np.where(rater < copiers, judge[text], answer)
    return Question(text, rater, answer, judge, POINTS, ordered)


def on_scale(felt: np.ndarray) -> np.ndarray:
    return np.clip(np.round(felt + 2), 0, POINTS - 1).astype(int)
