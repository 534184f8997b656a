"""How an honest rater answers, given the other people and the judge.

A conditional logit over the answers of a question. With n_k of the n other people who
answered k on the same text, s_k = (n_k + b_k) / (n + 1), b the shares of answers over
all texts, and J the judge's answer, an honest rater answers k with chance proportional
to the exponential of

    a_k + c log s_k + g [k = J]

and on scales, where 3 is nearer to 4 than to 5, also minus d |k - m|, e (k - m)^2 and
h |k - J|, with m the mean of the other people and distances as shares of the scale. So
g and h hold what people have in common with the judge beyond what they have in common
with each other. All is estimated from other raters than the one in question.

Raters differ, and may do so without copying anyone: each has answers that they like
(a_k moves), and goes with other people more or less closely (c, d and e are all
multiplied). Both are estimated for each rater, drawn towards the crowd. What is left is
what `testing` looks at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

RIDGE = 1.0  # on the coefficients of the crowd: keeps rare answers finite
STEPS, CLOSE = 25, 1e-6  # of Newton's method
# How much raters may differ from the crowd before it costs: SD of each a_k in log odds,
# and of the factor on what other people say.
LIKES, FOLLOWS = 1.0, 0.5
SLIPS = 0.02  # of answers are beyond any model: slips of the finger, misread questions


class Question(NamedTuple):
    """Answers to one question, one of a rater and text at most."""

    text: np.ndarray  # (k,) int, row of the text, 0, ..., n - 1
    rater: np.ndarray  # (k,) int, 0, ..., R - 1
    answer: np.ndarray  # (k,) int, 0, ..., points - 1
    judge: np.ndarray  # (n,) int, the judge's answer to each text, -1 = none
    points: int
    ordered: bool  # whether answers are points of a scale


@dataclass(frozen=True, slots=True)
class Rows:
    """The answers that can be compared: others rated the text, and so did the judge."""

    text: np.ndarray  # (m,)
    rater: np.ndarray  # (m,)
    answer: np.ndarray  # (m,)
    judge: np.ndarray  # (m,), the judge's answer to the same text
    others: np.ndarray  # (m, points, c) what other people say of each answer
    copied: np.ndarray  # (m, points, g) what the judge says of it

    def only(self, kept: np.ndarray) -> Rows:
        """Some of the rows, (m,) bool or places."""
        return Rows(*(getattr(self, name)[kept] for name in self.__slots__))

    @property
    def design(self) -> np.ndarray:
        """(m, points, all coefficients)."""
        parts = [_likes(self.others), self.others, self.copied]
        return np.concatenate(parts, axis=2)


@dataclass(frozen=True, slots=True)
class Crowd:
    """The coefficients: of liked answers, of other people, of the judge."""

    likes: np.ndarray
    others: np.ndarray
    copied: np.ndarray


class Own(NamedTuple):
    """Chances of a rater's answers if they are honest, and how well these are known."""

    chance: np.ndarray  # (m, points)
    design: np.ndarray  # (m, points, q) of what was estimated for the rater
    inverse: np.ndarray  # (q, q), of the information about it


def rows_of(question: Question) -> Rows:
    """What is known about each answer. One pass, no loop over texts."""
    text, answer, points = question.text, question.answer, question.points
    n_texts = len(question.judge)
    given = np.zeros((n_texts, points))
    np.add.at(given, (text, answer), 1.0)
    shares = (given.sum(0) + 1) / (given.sum() + points)
    rest = given[text]
    rest[np.arange(len(text)), answer] -= 1
    n, judge = rest.sum(1), question.judge[text]
    use = (n > 0) & (judge >= 0)
    rest, n, judge = rest[use], n[use], judge[use]
    others = [np.log((rest + shares) / (n + 1)[:, np.newaxis])]
    copied = [(np.arange(points) == judge[:, np.newaxis]).astype(float)]
    if question.ordered and points > 2:
        at = np.arange(points) / (points - 1)
        away = at - (rest @ at / n)[:, np.newaxis]
        others += [-np.abs(away), -(away**2)]
        copied += [-np.abs(at - at[judge][:, np.newaxis])]
    return Rows(
        *(text[use], question.rater[use], answer[use], judge),
        np.stack(others, axis=2),
        np.stack(copied, axis=2),
    )


def crowd(rows: Rows) -> Crowd:
    """The coefficients of these answers, by ridge-penalised maximum likelihood."""
    design = rows.design
    ridge = np.full(design.shape[2], RIDGE)
    found, _ = _newton(design, np.zeros(design.shape[:2]), rows.answer, ridge)
    likes, others = rows.others.shape[1:]
    return Crowd(*np.split(found, [likes, likes + others]))


def own(rows: Rows, of: Crowd) -> Own:
    """Chances of the answers of one rater, given that they copy nobody."""
    followed = rows.others @ of.others
    known = of.likes + followed + rows.copied @ of.copied
    design = np.concatenate([_likes(rows.others), followed[:, :, np.newaxis]], axis=2)
    ridge = np.full(design.shape[2], LIKES**-2)
    ridge[-1] = FOLLOWS**-2
    shift, inverse = _newton(design, known, rows.answer, ridge)
    chance = _chances(known + design @ shift)
    even = SLIPS / chance.shape[1]
    return Own((1 - SLIPS) * chance + even, design, inverse)


def _likes(others: np.ndarray) -> np.ndarray:
    """One column for each answer, (m, points, points).

    One too many, which the ridge decides: so no answer is unlike the others because it
    comes first.
    """
    m, points = others.shape[:2]
    return np.broadcast_to(np.eye(points), (m, points, points))


def _newton(
    design: np.ndarray, known: np.ndarray, answer: np.ndarray, ridge: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of a conditional logit, and the inverse of their information."""
    flat, each = design.reshape(-1, len(ridge)), np.arange(len(answer))
    given = design[each, answer].sum(0)

    def height(found: np.ndarray) -> tuple[float, np.ndarray]:
        utility = known + design @ found
        utility -= utility.max(axis=1, keepdims=True)
        total = np.log(np.exp(utility).sum(1))
        likely = (utility[each, answer] - total).sum() - ridge @ found**2 / 2
        return float(likely), np.exp(utility - total[:, np.newaxis])

    found, inverse = np.zeros(len(ridge)), np.diag(1 / ridge)
    now, chance = height(found)
    for _ in range(STEPS):
        mean = np.einsum("mk,mkp->mp", chance, design)
        weighed = (design * chance[:, :, np.newaxis]).reshape(flat.shape)
        information = weighed.T @ flat - mean.T @ mean
        inverse = np.linalg.inv(information + np.diag(ridge))
        step = inverse @ (given - mean.sum(0) - ridge * found)
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
        # A whole step may jump over the top, and back, for ever.
        while True:
            then, chance = height(found + step)
            if then >= now - CLOSE or np.abs(step).max() < CLOSE:
                break
            step = step / 2
        found, now = found + step, then
    return found, inverse


def _chances(utility: np.ndarray) -> np.ndarray:
    raised = np.exp(utility - utility.max(axis=1, keepdims=True))
    chances: np.ndarray = raised / raised.sum(axis=1, keepdims=True)
    return chances
