"""What BLEURT learns: first what texts have in common, then how people rate them."""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from scoring.metrics._engine import models
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning import (
    cross_fitting,
    fitting,
    hygiene,
    pairing,
    synthetic_pairs,
)
from scoring.metrics._learning.corruptions import rng_of
from scoring.metrics._learning.fitting import Plan
from scoring.metrics._learning.heads import (
    FACTS,
    NARROW,
    WEIGHTS,
    Reader,
    Tokens,
    begun,
)
from scoring.metrics._learning.hygiene import is_held_out
from scoring.metrics._learning.tasks import HeadTask, Labelled
from scoring.metrics._learning.training import MODEL, TrainingData, TrainingProgress

MOST_HELD_OUT = 256  # texts whose pairs are looked at
NAME = "bleurt"
FIRST = "pretraining"  # folder of the first stage, within that of the training
KEPT = ("steps", "seconds", "rate", "log", "figures")  # of its card


class Signalled(NamedTuple):
    """A reference and a candidate, with what they have in common."""

    text: tuple[str, str]
    target: tuple[float, ...]  # (signals,), NaN where one is not defined
    kind: str


class SyntheticTask(HeadTask):
    """Regression of all signals at once, on passages and worse copies of them.

    `options` are those of `bleurt.BleurtTraining`.
    """

    options: Any

    def __init__(self, data: TrainingData, options: Any) -> None:
        super().__init__(data, options)
        self.kept = self.kept[:MOST_HELD_OUT]
        self._words = max(4, options.max_tokens // 3)  # of a passage: two must fit
        self._signals = synthetic_pairs.Signals(options.bertscore)
        self._fill = (
            synthetic_pairs.Filler(models.find(options.fill)) if options.fill else None
        )

    def of(self, document: int, number: int) -> list[Any]:
        rng = rng_of(self.options.seed, abs(number), int(number < 0))
        side = self.kept if number < 0 else self.learned
        other = side[int(rng.integers(len(side)))]
        texts = (self.data.texts[k] for k in (document, other))
        text, else_ = (synthetic_pairs.passage(t, self._words, rng) for t in texts)
        if not text or not else_:
            return []
        made = synthetic_pairs.pair(text, else_, rng, self._fill)
        both = (made.reference, made.candidate)
        return [Signalled(both, tuple(self._signals([both])[0]), made.kind)]

    def build(self, device: str) -> Reader:
        reader, self._tokens = _begun(self.options, len(self._signals.names), device)
        return reader

    def loss(self, network: Reader, examples: list[Any]) -> torch.Tensor:
        """Mean squared error over all signals that are defined; all weigh the same."""
        z = self.read(network, [one.text for one in examples])
        targets = torch.tensor([one.target for one in examples], device=z.device)
        there = targets.isfinite()
        errors = (z - targets.nan_to_num()).square() * there
        return errors.sum() / there.sum().clamp(min=1)

    def described(self, z: np.ndarray, examples: list[Any]) -> dict[str, object]:
        """Pearson's correlation of each signal with its prediction."""
        targets = np.array([one.target for one in examples])
        found: dict[str, object] = {"n": len(examples)}
        for k, name in enumerate(self._signals.names):
            found[name] = {"pearson": _pearson(z[:, k], targets[:, k])}
        found["mse"] = float(np.nanmean((z - targets) ** 2))
        return found

    def facts(self) -> dict[str, object]:
        return {
            "metric": NAME,
            "outputs": len(self._signals.names),
            "signals": self._signals.names,
            "fine_tuned": False,
        }


class RatedTask(HeadTask):
    """Regression of ratings. Begins with a pre-trained checkpoint where there is one.

    Texts of one document are learned from, or held out, together.
    """

    options: Any

    def __init__(self, data: TrainingData, options: Any) -> None:
        documents = [one.document or one.reference for one in data.rated]
        super().__init__(dataclasses.replace(data, texts=documents, labels=()), options)
        learned = [data.rated[k] for k in self.learned]
        seen = [one.text for one in learned]
        if options.pair == pairing.REFERENCE:
            seen += [one.reference for one in learned]
        self.seen = list(dict.fromkeys(seen))

    def of(self, document: int, number: int) -> list[Labelled]:
        one = self.data.rated[document]
        return [Labelled((one.reference, one.text), one.rating)]

    def build(self, device: str) -> Reader:
        reader, self._tokens = _begun(self.options, 1, device)
        if self._goes_on:
            _take_head(reader, models.find(self.options.base))
        return reader

    @property
    def _goes_on(self) -> bool:
        return _facts(models.find(self.options.base)).get("metric") == NAME

    def figures(self, network: Reader, examples: list[Labelled]) -> dict[str, object]:
        """Also those of the BLEURT that it began with: what ratings have added."""
        found = super().figures(network, examples)
        if self._goes_on:
            before = self.build(next(network.parameters()).device.type).eval()
            found["before"] = super().figures(before, examples)
        return found

    def facts(self) -> dict[str, object]:
        return {"metric": NAME, "fine_tuned": True, "pair": self.options.pair}


class FoldTask(RatedTask):
    """Learns the ratings of all prompts but those of one fold, and is tried on these.

    What shares words with a text of the fold is not learned from either.
    """

    def __init__(
        self, data: TrainingData, options: Any, *, fold: int, folds: Mapping[str, int]
    ) -> None:
        is_here = np.array([folds[one.document] == fold for one in data.rated])
        here = (
            one.text for one, inside in zip(data.rated, is_here, strict=True) if inside
        )
        leaks = hygiene.touched(data.rated, hygiene.all_grams(here))
        self._sides = np.flatnonzero(~is_here & ~leaks), np.flatnonzero(is_here)
        super().__init__(data, options)

    def sides(self) -> tuple[list[int], list[int]]:
        learned, kept = self._sides
        return learned.tolist(), kept.tolist()


class Stages:
    """The one or two trainings that a checkpoint takes.

    The first has a folder within that of the training if a second follows; it is
    removed when that has ended. Cross-fitting, the second is done once for each fold.
    """

    def __init__(
        self, data: TrainingData, options: Any, folder: Path, about: dict[str, object]
    ) -> None:
        self._pretrains = bool(data.texts and options.pretrain_epochs)
        if not self._pretrains and not data.rated:
            raise MetricError(
                "expected texts to pre-train on or ratings to fine-tune on: choose a"
                " corpus and set pretrain_epochs above 0, or choose an aspect that"
                " people rated"
            )
        self._data, self._options = data, options
        self._folder, self._about = folder, about
        self._first = folder / FIRST if data.rated else folder
        self._folds: Mapping[str, int] = {}
        if data.cross_fitted:
            self._folds = pairing.folds((o.document for o in data.rated), options.folds)

    def run(
        self, progress: TrainingProgress, *, seconds: float | None, device: str
    ) -> bool:
        """Continue from the folder's state; True when both stages have finished."""
        started = time.monotonic()
        if self._pretrains and not self._pretrain(progress, seconds, device):
            return False
        if self._data.rated:
            ends = None if seconds is None else started + seconds
            if not self._fine_tune_all(progress, ends, device):
                return False
            shutil.rmtree(self._folder / FIRST, ignore_errors=True)
        return True

    def _fine_tune_all(self, progress: Any, ends: float | None, device: str) -> bool:
        """Once, or once for each fold."""
        if not self._folds:
            task: Any = partial(RatedTask, self._data)
            return self._fine_tune(
                task, self._folder, progress, ends, device, "fine-tuning"
            )
        if (self._folder / MODEL).is_dir():
            return True
        n = self._options.folds
        for fold in range(n):
            folder = self._folder / cross_fitting.name(fold)
            folder.mkdir(exist_ok=True)
            task = partial(FoldTask, self._data, fold=fold, folds=self._folds)
            stage = f"fine-tuning, fold {fold + 1} of {n}"
            if not self._fine_tune(task, folder, progress, ends, device, stage):
                return False
            if fold < n - 1 and ends is not None and time.monotonic() >= ends:
                return False
        cross_fitting.join(self._folder, self._folds, n)
        return True

    def _pretrain(self, progress: Any, seconds: float | None, device: str) -> bool:
        if (self._first / MODEL).is_dir():
            return True
        self._first.mkdir(exist_ok=True)
        options = self._options
        task: Any = SyntheticTask(self._data, options)
        return fitting.fit(
            task,
            Plan(options.pretrain_epochs, options.batch, options.seed),
            self._first,
            progress,
            seconds=seconds,
            device=device,
            about=self._about,
            stage="pre-training",
        )

    def _fine_tune(
        self,
        task_of: Callable[..., Any],
        folder: Path,
        progress: Any,
        ends: float | None,
        device: str,
        stage: str,
    ) -> bool:
        options, about, seen = self._options, self._about, []
        if self._pretrains:
            model = self._first / MODEL
            options = dataclasses.replace(options, base=str(model))
            card = json.loads((model / fitting.CARD).read_text())
            about = about | {"pretraining": {key: card[key] for key in KEPT}}
            share = options.held_out
            seen = [t for t in self._data.texts if not is_held_out(t, share)]
        task = task_of(options=options)
        task.seen += seen  # of both stages
        return fitting.fit(
            task,
            fitting.plan_of(options),
            folder,
            progress,
            seconds=None if ends is None else max(0.0, ends - time.monotonic()),
            device=device,
            about=about,
            stage=stage,
        )


def _take_head(reader: Reader, folder: Path) -> None:
    """Start from the head of a BLEURT: its score of a pair, or the signals' mean."""
    from safetensors.torch import load_file

    state = load_file(folder / WEIGHTS)
    for last in ("2.weight", "2.bias"):
        state[last] = state[last].mean(0, keepdim=True)
    reader.head.load_state_dict(state)


def _begun(options: Any, outputs: int, device: str) -> tuple[Reader, Tokens]:
    """An encoder with a head; that of a BLEURT is read as it was."""
    folder = models.find(options.base)
    facts, pooling = _facts(folder), options.pooling
    if facts.get("metric") == NAME:
        pooling = facts["pooling"]
    elif pooling == "auto" and models.config(folder).hidden_size < NARROW:
        pooling = "pair"  # it has not learned to compare texts at one token
    reader = begun(options.base, pooling=pooling, outputs=outputs, device=device)
    return reader, Tokens(folder, options.max_tokens, reader.encoder)


def _facts(folder: Path) -> dict[str, Any]:
    path = folder / FACTS
    return json.loads(path.read_text()) if path.exists() else {}


def _pearson(z: np.ndarray, targets: np.ndarray) -> float | None:
    there = np.isfinite(targets)
    if there.sum() < 2 or not np.ptp(z[there]) or not np.ptp(targets[there]):
        return None
    return float(np.corrcoef(z[there], targets[there])[0, 1])
