"""Fits probes of CDM to ratings, cross-validated by prompt.

The momentum of each rated text is measured once and kept as the features of a probe, so
that a training that was stopped goes on where it was. The prompts are divided into
folds; for each fold a probe is fitted to the ratings of all others, without texts that
share 13 words in a row with a text of the fold, and predicts those of the fold. These
predictions are held out: the figures are theirs.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from annotation.sentences import scripts
from scoring.metrics._cdm import probes
from scoring.metrics._cdm.probes import FEATURES, Probe
from scoring.metrics._engine.base import Example, MetricError
from scoring.metrics._learning import hygiene, pairing
from scoring.metrics._learning.training import (
    MODEL,
    Rated,
    Step,
    TrainingData,
    TrainingProgress,
    waiting,
)
from scoring.metrics.cdm import CDM

MEASURED, CARD, README = "features.npy", "training.json", "README.md"
AT_ONCE = 32  # texts between two signs of life
REPLICATES, LEVEL = 2000, (2.5, 97.5)


class Held(NamedTuple):
    """What was predicted of texts of prompts that the probe had not seen."""

    ratings: np.ndarray  # (texts,)
    predicted: np.ndarray
    prompts: np.ndarray  # numbers of theirs
    lengths: np.ndarray  # in words


class Fitting:
    """One training: its data, its options, and the folder that it goes on in."""

    def __init__(
        self,
        data: TrainingData,
        options: Any,
        folder: Path,
        about: Mapping[str, object],
    ) -> None:
        """`options` are those of `cdm_probe`."""
        if not data.rated:
            raise MetricError(
                "expected rated texts: choose an aspect that people rated"
            )
        documents = [one.document for one in data.rated]
        folds = pairing.folds(documents, options.folds)
        self._fold_of = folds
        self._folds = np.array([folds[one] for one in documents])
        self._rated: Sequence[Rated] = data.rated
        self._crossed = data.cross_fitted
        self._options, self._folder, self._about = options, folder, about
        self._metric = CDM(
            expert=options.expert, amateur=options.amateur, context=options.context
        )

    def run(
        self, progress: TrainingProgress, *, seconds: float | None, device: str
    ) -> bool:
        """Go on; True when the probe is finished."""
        started = time.monotonic()
        x = self._measured(progress, seconds, device)
        if len(x) < len(self._rated):
            return False
        self._finish(x, time.monotonic() - started)
        return True

    def _measured(
        self, progress: TrainingProgress, seconds: float | None, device: str
    ) -> np.ndarray:
        """Features of the first texts, or of all, (texts, features); NaN: no score."""
        path, started, n = self._folder / MEASURED, time.monotonic(), len(self._rated)
        width = len(FEATURES[self._options.features](np.zeros(1)))
        x = np.load(path, allow_pickle=False) if path.exists() else np.empty((0, width))
        scorer = self._metric.load(device) if len(x) < n else None
        while scorer is not None and len(x) < n:
            part = self._rated[len(x) : len(x) + AT_ONCE]
            scores = scorer([Example(o.text, o.prefix, "", o.source) for o in part])
            rows = [self._features(row) for row in scores.parts["m"]]
            x = np.concatenate([x, np.array(rows)])
            _keep(path, x)
            spent = time.monotonic() - started
            progress(Step("measuring rated texts", len(x), n, seconds=spent))
            if seconds is not None and spent >= seconds:
                break
        return x

    def _features(self, row: np.ndarray) -> list[float]:
        steps = row[np.isfinite(row)]
        features = FEATURES[self._options.features]
        if not len(steps):
            return [np.nan] * len(features(np.zeros(1)))
        return features(steps)

    def _finish(self, x: np.ndarray, seconds: float) -> None:
        """The checkpoint appears as a whole, or not at all."""
        there = np.isfinite(x).all(axis=1)
        each = [self._fit(x, there & self._may_learn(k)) for k in range(self._n)]
        figures = self._figures(x, there, each)
        learned = each if self._crossed else [self._fit(x, there)]
        facts = {
            "metric": "cdm_probe",
            "expert": self._options.expert,
            "amateur": self._options.amateur,
            "context": self._options.context,
            "fold_of": dict(self._fold_of) if self._crossed else {},
            "probes": [probes.as_json(one) for one in learned],
        }
        card = {
            **self._about,
            "options": _without_folders(self._about.get("options", {})),
            "steps": len(x),
            "seconds": round(seconds, 1),
            "log": [],
            "figures": figures,
        }
        made = waiting(self._folder / MODEL)
        made.mkdir()
        (made / probes.TRAINED).write_text(json.dumps(facts, indent=1) + "\n")
        (made / CARD).write_text(json.dumps(card, indent=1) + "\n")
        (made / README).write_text(_readme(figures))
        try:
            os.replace(made, self._folder / MODEL)
        except OSError:
            if not (self._folder / MODEL).is_dir():
                raise
            shutil.rmtree(made, ignore_errors=True)  # another process was faster

    @property
    def _n(self) -> int:
        return int(self._options.folds)

    def _may_learn(self, fold: int) -> np.ndarray:
        """Texts of other prompts that share no words with the fold's, (texts,)."""
        here = self._folds == fold
        texts = [self._rated[k].text for k in np.flatnonzero(here).tolist()]
        return ~here & ~hygiene.touched(self._rated, hygiene.all_grams(texts))

    def _fit(self, x: np.ndarray, chosen: np.ndarray) -> Probe:
        places = np.flatnonzero(chosen).tolist()
        return probes.fit_to(
            x[places],
            [self._rated[k].rating for k in places],
            [self._rated[k].text for k in places],
            features=self._options.features,
            pair=self._metric.pair(),
            ridge=self._options.ridge,
        ).probe

    def _figures(
        self, x: np.ndarray, there: np.ndarray, each: Sequence[Probe]
    ) -> dict[str, object]:
        predicted = np.full(len(x), np.nan)
        for fold, probe in enumerate(each):
            here = there & (self._folds == fold)
            predicted[here] = probe.of_features(x[here])
        numbers = {name: k for k, name in enumerate(self._fold_of)}
        prompts = np.array([numbers[one.document] for one in self._rated])
        lengths = np.array([len(scripts.pieces(one.text)) for one in self._rated])
        ratings = np.array([one.rating for one in self._rated])
        held = Held(*(a[there] for a in (ratings, predicted, prompts, lengths)))
        return {**figures(held), "folds": self._n}


def figures(held: Held, seed: int = 0) -> dict[str, object]:
    """How well ratings were predicted; None where a correlation is undefined."""
    found: dict[str, object] = {
        "n": len(held.ratings),
        "prompts": len(np.unique(held.prompts)),
        "mse": float(((held.predicted - held.ratings) ** 2).mean()),
        "pearson": None,
        "spearman": None,
    }
    if np.ptp(held.ratings) and np.ptp(held.predicted):
        low, high = interval(held, np.random.default_rng(seed))
        found |= {
            "pearson": float(stats.pearsonr(held.predicted, held.ratings).statistic),
            "pearson_low": low,
            "pearson_high": high,
            "spearman": float(stats.spearmanr(held.predicted, held.ratings).statistic),
        }
    if np.ptp(held.ratings) and np.ptp(held.lengths):
        rho = stats.spearmanr(held.lengths, held.ratings).statistic
        found["spearman_of_length"] = float(rho)
    return found


def interval(held: Held, rng: np.random.Generator) -> tuple[float, float]:
    """95 % of Pearson's r over draws of prompts with replacement, each with its texts.

    Draws in which either side is constant are left out.
    """
    _, prompts = np.unique(held.prompts, return_inverse=True)
    n = prompts.max() + 1
    counts = rng.multinomial(n, np.full(n, 1 / n), REPLICATES)[:, prompts]
    shares = counts / counts.sum(axis=1, keepdims=True)
    x, y = held.predicted, held.ratings
    mean_x, mean_y = shares @ x, shares @ y
    covariance = shares @ (x * y) - mean_x * mean_y
    variances = (shares @ x**2 - mean_x**2) * (shares @ y**2 - mean_y**2)
    fine = variances > 1e-24
    drawn = covariance[fine] / np.sqrt(variances[fine])
    low, high = np.percentile(drawn, LEVEL) if len(drawn) else (np.nan, np.nan)
    return float(low), float(high)


def _keep(path: Path, x: np.ndarray) -> None:
    file = waiting(path)
    with file.open("wb") as opened:
        np.save(opened, x)
    os.replace(file, path)


def _without_folders(options: Any) -> dict[str, object]:
    """Other people read the card: it must not show paths of this machine."""
    return {
        name: Path(value).name if str(value).startswith("/") else value
        for name, value in options.items()
    }


def _readme(found: Mapping[str, object]) -> str:
    rows = "\n".join(f"| {name} | {value} |" for name, value in found.items())
    return f"""# cdm_probe

A probe of EvalApp: linear weights from a text's contrastive momentum to its rating, in
`head.json`. It needs the two models that are named there, and is the option `model` of
the metric. No text is contained; hashes tell it the texts that it was fitted on.

Figures are of texts whose prompt the probe had not seen.

| what | |
| --- | --- |
{rows}
"""
