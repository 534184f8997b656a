from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.replacing.closeness import Marks, compare


def made(seed: int = 0, texts: int = 30, raters: int = 5) -> tuple[Marks, np.ndarray]:
    """A third of the ratings, and a third of the scores, are missing."""
    rng = np.random.default_rng(seed)
    text, rater = (at.ravel() for at in np.indices((texts, raters)))
    kept = rng.random(len(text)) < 2 / 3
    value = rng.integers(1, 6, size=len(text)).astype(float)
    scores = rng.integers(1, 6, size=texts) + rng.choice([0.0, 0.5], size=texts)
    scores[rng.random(texts) < 1 / 3] = np.nan
    return Marks(text[kept], rater[kept], value[kept]), scores


def by_loop(marks: Marks, scores: np.ndarray, closeness: str) -> list[tuple]:
    """The definition, text by text."""

    def near(x: float, others: list[float]) -> float:
        if closeness == "rmse":
            return -round(float(np.sqrt(np.mean([(x - h) ** 2 for h in others]))), 9)
        return float(np.mean([x == h for h in others]))

    rows = list(zip(*(part.tolist() for part in marks), strict=True))
    found = []
    for text, rater, value in rows:
        others = [v for t, r, v in rows if t == text and r != rater]
        if others and not np.isnan(scores[text]):
            f, h = near(scores[text], others), near(value, others)
            found.append((text, rater, f >= h, h >= f))
    return found


@pytest.mark.parametrize("closeness", ["rmse", "equal"])
@pytest.mark.parametrize("seed", range(5))
def test_sums_over_texts_give_what_the_definition_gives(closeness, seed):
    marks, scores = made(seed)
    found = compare(marks, scores, closeness)
    assert list(zip(*(c.tolist() for c in found), strict=True)) == by_loop(
        marks, scores, closeness
    )


def test_a_rater_alone_on_a_text_is_compared_with_nobody():
    marks = Marks(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([3.0, 2, 4]))
    found = compare(marks, np.array([3.0, 3.0]), "rmse")
    assert found.text.tolist() == [1, 1]


def test_distances_that_differ_by_rounding_only_are_ties():
    # 0.1 + 0.2 is not 0.3: both are as far from 1.
    marks = Marks(np.zeros(2, int), np.arange(2), np.array([0.3, 1.0]))
    found = compare(marks, np.array([0.1 + 0.2]), "rmse").of(0)
    assert (found.metric[0], found.person[0], found.d[0]) == (True, True, 0.0)


def test_another_closeness_is_refused():
    marks, scores = made()
    with pytest.raises(ValueError, match="expected 'rmse' or 'equal'"):
        compare(marks, scores, "mae")  # type: ignore[arg-type]
