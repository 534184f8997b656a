"""Variances of means of systems and of what a metric's scores add to them.

Each estimate is a mean that is linear in the texts to first order. So the estimates of
all systems, of people alone and of the correction, have one covariance matrix, from
which the variance of any contrast follows, with any weight of the metric.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from scoring.stats.saving.exact import Judged, judged

Target = Literal["prompts", "texts"]


class Known(NamedTuple):
    """What is known of each text that the draw was made from."""

    rating: np.ndarray  # (n,) float: mean of its ratings, NaN = not rated
    expected: np.ndarray  # (n,) float: by the metric, on the human scale
    system: np.ndarray  # (n,) int, from 0
    prompt: np.ndarray  # (n,) int, from 0
    stratum: np.ndarray  # (n,) int, from 0: of the draw
    n_systems: int
    scale: tuple[float, float] = (-np.inf, np.inf)  # lowest and highest rating


class Forms(NamedTuple):
    """Estimates of S systems with their covariances."""

    mean: np.ndarray  # (S,) of people alone
    shift: np.ndarray  # (S,) mean of the metric over all texts minus over those rated
    covariance: np.ndarray  # (2S, 2S) of mean and shift
    design: np.ndarray  # (2S, 2S): the part of it that comes from drawing texts
    influence: np.ndarray  # (units, 2S): what each unit adds to the error of both
    n: np.ndarray  # (S,) rated texts
    n_texts: np.ndarray  # (S,) all texts
    prompts: np.ndarray  # (S, P) bool: has a rated text of the system
    squares: np.ndarray  # (S, P) of the shares that its rated texts have in the mean
    degrees: np.ndarray  # (S,) of freedom of the part that comes from drawing texts
    judged: Judged | None  # the metric beside people; None = nothing is rated


class _Draw(NamedTuple):
    """The rated texts, as a stratified draw."""

    rows: np.ndarray  # (r,) their places
    system: np.ndarray  # (r,)
    stratum: np.ndarray  # (r,)
    weight: np.ndarray  # (r,) texts that each stands for
    left: np.ndarray  # (r,) 1 - n_h / N_h
    n: np.ndarray  # (r,) n_h


def forms(known: Known, target: Target) -> Forms:
    """Estimate all systems at once.

    A rated text of stratum h stands for w = N_h / n_h texts (Hajek's estimator). With W
    the sum of w over the rated texts of a system and M its number of texts, the mean of
    people is sum w Y / W, and the shift sum f / M - sum w f / W. Their influences are
    z = w (Y - mean) / W of a rated text, and (f - mean f) / M of each text less
    w (f - mean_w f) / W of a rated one. For "texts", the texts that are here, the
    variance is that of the draw,

    D = sum_h (1 - n_h / N_h) sum_{i in h} (z_i - mean_h z)^2

    (Saerndal, Swensson and Wretman 1992, 5.7). For "prompts", new ones like these, it
    is the cluster-robust sum over prompts of (sum of z)^2, less what that has for texts
    that are each drawn on its own, sum (1 - n_h / N_h) z^2, plus D.

    That z is taken from estimated means makes it too small. D is multiplied by
    n_h / (n_h - 1) in each stratum, and any other square by 1 / (1 - share), with the
    share w / W that a text or all of a prompt has in the mean (HC2 and CR2, see
    `replacing/clustered.py`). Where texts drawn later stand for many, one factor for
    all texts would not do: a few of them then make up most of the variance.

    Args:
        known: Of all texts that the draw was made from. A text without rating counts as
            missing at random within its stratum.
        target: "prompts" or "texts".

    Returns:
        In the unit of ratings. NaN for a system without a rated text.
    """
    n_systems, at = known.n_systems, known.system
    made = _draw(known)
    n, n_texts = (np.bincount(of, minlength=n_systems) for of in (made.system, at))
    total = np.bincount(made.system, made.weight, n_systems)
    both = np.stack([known.rating[made.rows], known.expected[made.rows]], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        weighted = both * made.weight[:, np.newaxis]
        means = _sums(weighted, made.system, n_systems) / total[:, np.newaxis]
        over_all = np.bincount(at, known.expected, n_systems) / n_texts
    share = made.weight / total[made.system]
    # The shift takes the rated mean of the metric off.
    z = (both - means[made.system]) * share[:, np.newaxis] * np.array([1, -1])
    cell = _Cells.of(made, n_systems)
    wide = z * np.sqrt(cell.factor)[:, np.newaxis]
    design = _alone(wide, made, n_systems) - _of_strata(wide, made, n_systems)
    degrees = cell.degrees(wide[:, 0], made)
    shares, squares = _by_prompt(known, made, share)
    if target == "texts":
        influence = _spread(z, np.arange(len(z)), made.system, (len(z), n_systems))
        covariance = design
    else:
        influence = _of_prompts(known, made, z, over_all, n_texts)
        wider = influence / np.sqrt(_rest(np.tile(shares, (2, 1)).T))
        alone = _alone(z / np.sqrt(_rest(share))[:, np.newaxis], made, n_systems)
        # Where nearly all is drawn, rounding or chance may leave less than the draw.
        covariance = design + wider.T @ wider - alone
    return Forms(
        means[:, 0], over_all - means[:, 1], covariance, design, influence, n, n_texts,
        shares > 0, squares, degrees, _judged(known),
    )  # fmt: skip


def _judged(known: Known) -> Judged | None:
    if not np.isfinite(known.rating).any():
        return None
    return judged(
        known.rating, known.expected, known.system, known.stratum, known.scale,
        known.n_systems,
    )  # fmt: skip


def _draw(known: Known) -> _Draw:
    rows = np.flatnonzero(np.isfinite(known.rating))
    stratum = known.stratum[rows]
    sizes = np.bincount(known.stratum)
    n = np.bincount(stratum, minlength=len(sizes))[stratum]
    size = sizes[stratum]
    return _Draw(rows, known.system[rows], stratum, size / n, 1 - n / size, n)


def _by_prompt(
    known: Known, made: _Draw, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of shares and of their squares, (S, P)."""
    shape = known.n_systems, int(known.prompt.max(initial=-1)) + 1
    place = made.system * shape[1] + known.prompt[made.rows]
    shares, squares = (
        np.bincount(place, of, shape[0] * shape[1]).reshape(shape)
        for of in (share, share**2)
    )
    return shares, squares


def _rest(share: np.ndarray) -> np.ndarray:
    """What others have in the mean; half, where one text or prompt is nearly all."""
    return np.asarray(np.maximum(1 - share, 0.5))


class _Cells(NamedTuple):
    """The rated texts of a system in a stratum."""

    at: np.ndarray  # (r,) of each rated text, from 0
    system: np.ndarray  # (cells,)
    n: np.ndarray  # (cells,)
    n_systems: int

    @classmethod
    def of(cls, made: _Draw, n_systems: int) -> _Cells:
        both = made.stratum * n_systems + made.system
        found, at, n = np.unique(both, return_inverse=True, return_counts=True)
        return cls(at.reshape(-1), found % n_systems, n, n_systems)

    @property
    def factor(self) -> np.ndarray:
        """(r,) n / (n - 1); 1 where there is one text only."""
        return np.asarray((self.n / np.maximum(self.n - 1, 1))[self.at])

    def degrees(self, z: np.ndarray, made: _Draw) -> np.ndarray:
        """Satterthwaite's of each system, (S,): V^2 / sum_h V_h^2 / (n_h - 1).

        V_h is what a stratum adds to V (Cochran 1977, 5.16).
        """
        sums, squares = (np.bincount(self.at, of, len(self.n)) for of in (z, z**2))
        left, drawn = np.zeros((2, len(self.n)))
        left[self.at], drawn[self.at] = made.left, made.n
        parts = left * np.maximum(squares - sums**2 / np.maximum(drawn, 1), 0)
        own = parts**2 / np.maximum(self.n - 1, 1)
        variance, spread, few = (
            np.bincount(self.system, of, self.n_systems)
            for of in (parts, own, self.n - 1)
        )
        found = few.astype(np.float64)  # without variance: as if it were the same
        np.divide(variance**2, spread, out=found, where=spread > 0)
        return found


def _sums(values: np.ndarray, at: np.ndarray, n: int) -> np.ndarray:
    return np.stack([np.bincount(at, column, n) for column in values.T], axis=1)


def _spread(
    values: np.ndarray, rows: np.ndarray, system: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Sums (rows, 2S) of values (n, 2) by row and system."""
    n_rows, n_systems = shape
    at = rows * n_systems + system
    sums = _sums(values, at, n_rows * n_systems)
    return np.concatenate([one.reshape(shape) for one in sums.T], axis=1)


def _alone(z: np.ndarray, made: _Draw, n_systems: int) -> np.ndarray:
    """As if each text were drawn on its own: nothing across systems."""
    found, at = np.zeros((2 * n_systems, 2 * n_systems)), np.arange(n_systems)
    for i in (0, 1):
        for j in (0, 1):
            sums = np.bincount(made.system, made.left * z[:, i] * z[:, j], n_systems)
            found[at + i * n_systems, at + j * n_systems] = sums
    return found


def _of_strata(z: np.ndarray, made: _Draw, n_systems: int) -> np.ndarray:
    """What the means of the strata take off: sum_h (1 - n_h / N_h) n_h mean_h z^2."""
    n_strata = made.stratum.max(initial=-1) + 1
    weight = np.zeros(n_strata)
    weight[made.stratum] = made.left / made.n
    sums = _spread(z, made.stratum, made.system, (n_strata, n_systems))
    return np.asarray((sums.T * weight) @ sums)


def _of_prompts(
    known: Known,
    made: _Draw,
    z: np.ndarray,
    over_all: np.ndarray,
    n_texts: np.ndarray,
) -> np.ndarray:
    """(P, 2S): sums over the texts of each prompt, rated or not."""
    shape = known.prompt.max(initial=-1) + 1, known.n_systems
    found = _spread(z, known.prompt[made.rows], made.system, shape)
    at = known.prompt * shape[1] + known.system
    first = (known.expected - over_all[known.system]) / n_texts[known.system]
    sums = np.bincount(at, first, shape[0] * shape[1]).reshape(shape)
    found[:, shape[1] :] += sums
    return found
