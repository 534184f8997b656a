"""How columns agree with people, prompt by prompt, so that any contrast can be tested.

A rater, a metric and a guess are compared on the same texts, with the same targets and
in the same groups: then what one prompt moves their difference by is the difference of
what it moves them by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scoring.stats._grouped import in_groups, least_rows
from scoring.stats.by_prompt import of_texts
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import (
    Form,
    Jackknifed,
    estimate,
    form_of_difference,
    leave_out,
    tested,
)


class Target(NamedTuple):
    """Texts, what people think of them, and columns that should agree with it."""

    text: np.ndarray  # (k,) rows of texts
    human: np.ndarray  # (k,) mean of people, without the rater that is left out
    columns: np.ndarray  # (k, C)


class Agreement(NamedTuple):
    """The agreement of C columns with people, and what each prompt moves it by."""

    of: Jackknifed  # (C,) in [-1, 1]; NaN = none
    n_texts: int
    n_prompts: int  # in which people tell texts apart

    @property
    def values(self) -> np.ndarray:
        """(C,)"""
        return self.of.value

    def estimate(self, column: int, reason: str) -> Estimate:
        """One column with its interval; `reason` is why it has no value, if so."""
        return estimate(self.of.at(column), n=self.n_texts, reason=reason)


class Contrast(NamedTuple):
    """A weighted sum of columns' agreement, with one-sided p; NaN = no test."""

    value: float
    se: float
    low: float  # of the 95 % interval
    high: float
    greater: float  # p of "at most the null": small where the value is above it
    less: float  # p of "at least the null"


def contrasts(of: Agreement, weights: np.ndarray) -> list[Contrast]:
    """Test weighted sums of several columns, such as m - .85 o and g - m, against 0.

    In the form of a difference, see `jackknife.contrast`.

    Args:
        of: Of C columns.
        weights: Of the columns, (K, C).
    """
    return _tested(of, weights, form_of_difference({of.of.form}), 0.0)


def alone(of: Agreement, column: int, *, null: float = 0.0) -> Contrast:
    """Test the agreement of one column, in the form of its coefficient.

    Args:
        of: Of C columns.
        column: Which.
        null: Value under the hypothesis.
    """
    weights = np.eye(len(of.values))[[column]]
    return _tested(of, weights, of.of.form, null)[0]


def _tested(
    of: Agreement, weights: np.ndarray, form: Form, null: float
) -> list[Contrast]:
    part = of.of
    made = replace(
        part,
        value=weights @ part.value,
        deviation=part.deviation @ weights.T,
        form=form,
        df=np.full(len(weights), part.df.max(initial=0)),
        n_units=np.full(len(weights), part.n_units.max(initial=0)),
    )
    found = tested(made, null=null)
    se = np.sqrt((part.factor * made.deviation**2).sum(axis=0))
    columns = (made.value, se, found.low, found.high, found.greater, found.less)
    return [Contrast(*row) for row in np.column_stack(columns).tolist()]


def within_prompts(
    targets: Sequence[Target], prompt: np.ndarray, coefficient: str
) -> Agreement:
    """Mean over prompts of the coefficient among the texts of one prompt.

    c_p = mean over targets t of r(column, human_t) in prompt p; value = mean over p.

    A target in which people give all texts of a prompt the same says nothing of any
    column, and is left out; a column that does so while people do not cannot tell these
    texts apart, and counts as 0.

    Args:
        targets: One for each way to leave a rater out; columns without gaps.
        prompt: Of each text, (n,) int from 0.
        coefficient: "pearson", "spearman" or "kendall" (tau-b). Of two texts a prompt,
            tau is the share of pairs in the order that people have them, minus the
            share in the opposite order.

    Returns:
        Of the prompts in which people tell at least three texts apart (two for
        "kendall").
    """
    n_prompts = int(prompt.max(initial=-1)) + 1
    n_columns = targets[0].columns.shape[1] if targets else 0
    total, weight = np.zeros((n_prompts, n_columns)), np.zeros((n_prompts, 1))
    counted = np.zeros(len(prompt), bool)
    for target in targets:
        at = prompt[target.text]
        values, tells = _in_prompts(coefficient, target, at, n_prompts)
        total += np.where(tells[:, np.newaxis], values, 0)
        weight += tells[:, np.newaxis]
        counted[target.text[tells[at]]] = True
    telling = weight[:, 0] > 0
    parts = total[telling] / weight[telling]
    return Agreement(_of_mean(parts), int(counted.sum()), len(parts))


def _of_mean(parts: np.ndarray) -> Jackknifed:
    """The mean of (P, C) over prompts."""
    n, n_columns = parts.shape
    value = parts.mean(axis=0) if n else np.full(n_columns, np.nan)
    return Jackknifed(
        value,
        (parts - value) / max(1, n - 1),
        np.full((n, 1), max(0, n - 1) / max(1, n)),
        np.full(n_columns, n - 1.0),
        np.full(n_columns, n),
        "skewed",
    )


def _in_prompts(
    coefficient: str, target: Target, at: np.ndarray, n_prompts: int
) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients, (P, C), and whether people tell the texts apart, (P,)."""
    cells = in_groups(
        coefficient, target.columns, target.human[:, np.newaxis], at, n_prompts
    )
    enough = cells.n[:, 0, 0] >= least_rows(coefficient)
    return np.nan_to_num(cells.values[:, :, 0]), enough & cells.human_varies[:, 0, 0]


def across_prompts(
    targets: Sequence[Target],
    prompt: np.ndarray,
    groups: np.ndarray,
    coefficient: str,
    rng: np.random.Generator,
) -> Agreement:
    """Mean over groups of the coefficient among texts of different prompts.

    value = mean over targets of the mean over groups g of r_g; what a prompt moves it
    by is what it is without the prompt (the jackknife; of more than 100 prompts, groups
    of them).

    Args:
        targets: As in `within_prompts`.
        prompt: Of each text, (n,) int from 0.
        groups: Of each text, (n,): its system, or 0 for all.
        coefficient: "pearson", "spearman" or "kendall".
        rng: For groups of prompts.

    Returns:
        Columns that are the same for a whole group count as 0 there; groups that people
        rate all the same are left out.
    """
    texts = np.unique(np.concatenate([target.text for target in targets]))
    left = leave_out(prompt[texts], rng=rng)
    each = [
        of_texts(
            target.columns,
            target.human,
            left.only(np.searchsorted(texts, target.text)),
            coefficient=coefficient,
            groups=groups[target.text],
        ).at(slice(None), 0)
        for target in targets
    ]
    # People gave all the same: no column has a value. Else a constant one counts as 0.
    each = [one for one in each if np.isfinite(one.value).any()]
    if not each:
        return Agreement(_of_mean(np.empty((0, targets[0].columns.shape[1]))), 0, 0)
    made = Jackknifed(
        np.mean([np.nan_to_num(one.value) for one in each], axis=0),
        np.mean([_moved(one) for one in each], axis=0),
        left.factor[:, np.newaxis],
        np.full(targets[0].columns.shape[1], left.df),
        np.full(targets[0].columns.shape[1], left.n_units),
        "fisher",
    )
    return Agreement(made, len(texts), left.n_units)


def _moved(one: Jackknifed) -> np.ndarray:
    """What units move columns by; nothing moves one that has no value at all."""
    found: np.ndarray = np.where(np.isnan(one.value), 0.0, one.deviation)
    return found
