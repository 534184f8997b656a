"""Probes: linear maps from a text's step-wise contrast to what people would rate.

Whatever the number of tokens, a text has the same features x, of its values m_t:

    linear       mean, standard deviation and last of m_t, and its quantiles
    polynomial   the means of m_t, m_t^2, m_t^3: a cubic in m_t, averaged over tokens

Standardised to z, rating = b + w'z with w = (Z'Z + ridge I)^-1 Z'(y - b), b = mean(y).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scoring.metrics._engine.base import MetricError

KIND = "probe of cdm, version 1"
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
FEWEST = 20  # rated texts
TRAINED = "head.json"  # the file of a training, which may hold several


def _linear(steps: np.ndarray) -> list[float]:
    return [steps.mean(), steps.std(), steps[-1], *np.quantile(steps, QUANTILES)]


def _polynomial(steps: np.ndarray) -> list[float]:
    return [(steps**power).mean() for power in (1, 2, 3)]


FEATURES: dict[str, Callable[[np.ndarray], list[float]]] = {
    "linear": _linear,
    "polynomial": _polynomial,
}


class Probe(NamedTuple):
    """A fitted probe. Arrays are float64, (features,)."""

    features: str
    pair: str  # the models and options whose steps it was fitted on
    center: np.ndarray
    scale: np.ndarray
    weights: np.ndarray
    intercept: float
    seen: frozenset[str]  # hashes of the texts that it was fitted on

    def rating(self, steps: np.ndarray) -> float:
        """What people would rate a text with the values m_t, (tokens,)."""
        return float(self.of_features(np.array(FEATURES[self.features](steps))))

    def of_features(self, x: np.ndarray) -> np.ndarray:
        """The same from features, (..., features) -> (...)."""
        found = self.intercept + (x - self.center) / self.scale @ self.weights
        return np.asarray(found)

    def has_seen(self, text: str) -> bool:
        return text_hash(text) in self.seen


class Fit(NamedTuple):
    """A probe, and how well it predicts ratings that it has not seen."""

    probe: Probe
    left_out: float | None  # Pearson of ratings with leave-one-out predictions


def fit(
    steps: Sequence[np.ndarray],
    ratings: Sequence[float],
    texts: Sequence[str],
    *,
    features: str,
    pair: str,
    ridge: float,
) -> Fit:
    """Fit a probe in closed form.

    Raises:
        MetricError: If there are too few texts, or all ratings are equal.
    """
    rows = [FEATURES[features](one) for one in steps]
    x = np.array(rows).reshape(len(rows), -1)
    return fit_to(x, ratings, texts, features=features, pair=pair, ridge=ridge)


def fit_to(
    x: np.ndarray,
    ratings: Sequence[float] | np.ndarray,
    texts: Sequence[str],
    *,
    features: str,
    pair: str,
    ridge: float,
) -> Fit:
    """The same, from features that are known, (texts, features). Raises the same."""
    if len(x) < FEWEST:
        raise MetricError(
            f"{len(x)} of the rated texts can be scored: a probe needs at least"
            f" {FEWEST}"
        )
    y = np.array(ratings, dtype=np.float64)
    if np.ptp(y) == 0:
        raise MetricError("all ratings are equal: there is nothing to learn")
    center, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale == 0] = 1
    z = (x - center) / scale
    solved = np.linalg.solve(z.T @ z + ridge * np.eye(z.shape[1]), z.T)
    weights = solved @ (y - y.mean())
    seen = frozenset(map(text_hash, texts))
    probe = Probe(features, pair, center, scale, weights, float(y.mean()), seen)
    # How much a rating counts in its own prediction; without it the error is larger.
    leverage = 1 / len(y) + np.einsum("ij,ji->i", z, solved)
    error = (y - y.mean() - z @ weights) / (1 - leverage)
    return Fit(probe, _pearson(y, y - error))


def _pearson(x: np.ndarray, y: np.ndarray) -> float | None:
    if not np.isfinite(y).all() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# Files ------------------------------------------------------------------------------


def save(found: Fit, path: Path, **provenance: Any) -> None:
    """Write a probe with where it comes from."""
    content = {
        "kind": KIND,
        **as_json(found.probe),
        "provenance": {**provenance, "leave_one_out_pearson": found.left_out},
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def as_json(probe: Probe) -> dict[str, Any]:
    """Of which `from_json` makes the same probe."""
    content = probe._asdict()
    for name in ("center", "scale", "weights"):
        content[name] = content[name].tolist()
    return content | {"seen": sorted(probe.seen)}


def from_json(content: Mapping[str, Any]) -> Probe:
    """Raise KeyError, TypeError or ValueError if it is no probe."""
    features = FEATURES[content["features"]]
    width = len(features(np.zeros(1)))
    center, scale, weights = (
        np.array(content[name], dtype=np.float64).reshape(width)
        for name in ("center", "scale", "weights")
    )
    intercept, seen = float(content["intercept"]), frozenset(content["seen"])
    if not np.isfinite([*center, *scale, *weights, intercept]).all():
        raise ValueError("a probe has finite numbers")
    return Probe(
        content["features"],
        str(content["pair"]),
        center,
        scale,
        weights,
        intercept,
        seen,
    )


def load(path: str) -> Probe:
    """Read a probe.

    Raises:
        MetricError: If the file is not one.
    """
    file = Path(path).expanduser()
    try:
        content = json.loads(file.read_text("utf-8"))
        if content["kind"] != KIND:
            raise ValueError
        return from_json(content)
    except OSError as error:
        raise MetricError(f"probe: cannot read {file}: {error.strerror}") from error
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise MetricError(
            f"probe: {file} is not a probe; make one with `python -m scoring.metrics"
            " probe`"
        ) from None
