"""Generative CDM from texts to a checkpoint, in slices that can be killed.

Lu et al. (2024), algorithm 1. Each stage leaves its result in the folder, and none is
done twice: models that were trained further, the segments batch by batch in a file that
only grows, the discriminator.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.metrics._cdm import negatives as _cdm_negatives
from scoring.metrics._cdm import task as _cdm_task
from scoring.metrics._cdm.negatives import Infillers, Sampling
from scoring.metrics._cdm.task import Chooser, Discriminator, Infilling, Negative
from scoring.metrics._engine import batches, models
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning import fitting
from scoring.metrics._learning.corruptions import rng_of
from scoring.metrics._learning.fitting import Plan
from scoring.metrics._learning.training import MODEL, Step, TrainingProgress, waiting

NEGATIVES, INFILLERS = "negatives.jsonl", "infillers.json"
ROLES = ("amateur", "expert")
SLAB = 256  # documents sorted by length together
MOST_COMPARED = 256  # held-out segments that tell who is the expert
WRITING = "regenerating segments"
TOLD_SECONDS = 0.5


class Stages:
    """A call of a training."""

    def __init__(
        self,
        task: Discriminator,
        folder: Path,
        progress: TrainingProgress,
        *,
        seconds: float | None,
        device: str,
        about: dict[str, object],
    ) -> None:
        self.task, self.folder, self.progress = task, folder, progress
        self.device, self.about = device, about
        self._until = None if seconds is None else time.monotonic() + seconds
        self._told = 0.0

    def run(self) -> bool:
        """True when the checkpoint is finished."""
        for role in ROLES if self.task.options.infill_epochs else ():
            if (self.folder / role / MODEL).is_dir():
                continue
            if not self._infiller_trained(role) or self._is_over():
                return False
        if not self._written():
            return False
        self.task.negatives = self._kept()
        self.task.infillers = self._infillers() or {}
        self.task.check_negatives()
        plan = fitting.plan_of(self.task.options)
        return self._fit(self.task, plan, self.folder, "training", self.about)

    def _fit(
        self, task: Any, plan: Plan, folder: Path, stage: str, about: dict[str, object]
    ) -> bool:
        return fitting.fit(
            task,
            plan,
            folder,
            self.progress,
            seconds=self._left(),
            device=self.device,
            about=about,
            stage=stage,
        )

    # The two models -------------------------------------------------------------------

    def model(self, role: str) -> Path:
        """The folder of one of the two."""
        own = self.folder / role / MODEL
        return own if own.is_dir() else models.find(getattr(self.task.options, role))

    def _infiller_trained(self, role: str) -> bool:
        folder, options = self.folder / role, self.task.options
        folder.mkdir(parents=True, exist_ok=True)
        base = models.find(getattr(options, role))
        about: dict[str, object] = {
            "metric": f"{_cdm_task.METRIC}, {role}",
            "signature": f"{self.about['signature']}|{role}",
            "options": {"base": getattr(options, role)},
        }
        task = Infilling(self.task.data, options, base)
        plan = Plan(options.infill_epochs, options.batch, options.seed)
        return self._fit(task, plan, folder, f"training the {role}", about)

    # Segments -------------------------------------------------------------------------

    def _written(self) -> bool:
        """Write what is missing; True when nothing is missing any more."""
        documents, kept = self.task.documents, self._kept()
        if self._infillers() is not None and kept.keys() >= set(documents):
            return True
        infillers = _cdm_negatives.load(
            *map(self.model, ROLES),
            device=self.device,
        )
        if self._infillers() is None:
            self._compare(infillers)
        writer = _Writer(self, infillers, len(documents), kept)
        for start in range(0, len(documents), SLAB):
            slab = documents[start : start + SLAB]
            if not kept.keys() >= set(slab) and not writer.slab(slab):
                return False
        return True

    def _compare(self, infillers: Infillers) -> None:
        """Test E(p_small) < E(p_large) on held-out segments."""
        texts, filler = self.task.data.texts, infillers.filler
        documents = self.task.kept[:MOST_COMPARED]
        segments = Chooser(filler, self.task.options)(
            documents, [texts[k] for k in documents], infillers.amateur
        )
        amateur, expert = _cdm_task.losses(
            infillers,
            [
                _cdm_task.asked(filler, texts[k], one)
                for k, one in zip(documents, segments, strict=True)
                if not isinstance(one, str)
            ],
        )
        found: dict[str, object] = {
            "amateur loss": _number(amateur),
            "expert loss": _number(expert),
        }
        if not expert < amateur:
            found["warning"] = _no_expert(amateur, expert)
        content = {"signature": self.about["signature"], **found}
        file = waiting(self.folder / INFILLERS)
        file.write_text(json.dumps(content) + "\n")
        os.replace(file, self.folder / INFILLERS)

    def _infillers(self) -> dict[str, object] | None:
        """What was found of the two models; None: they were not compared yet."""
        path = self.folder / INFILLERS
        if not path.exists():
            return None
        found = json.loads(path.read_text())
        if found.pop("signature") != self.about["signature"]:
            raise MetricError(
                f"{self.folder} holds a training with other data, other options or an"
                " earlier version: start a new training in its own folder"
            )
        return found

    def _kept(self) -> dict[int, Negative]:
        """What was written so far. An incomplete line is written again."""
        path, found = self.folder / NEGATIVES, {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").split("\n"):
                try:
                    one = Negative(**json.loads(line))
                except (ValueError, TypeError):
                    continue
                found[one.document] = one
        return found

    def keep(self, negatives: Sequence[Negative]) -> None:
        lines = [json.dumps(one._asdict()) for one in negatives]
        # What was cut in the middle of a line must not swallow the next one.
        content = "\n" + "\n".join(lines) + "\n"
        with (self.folder / NEGATIVES).open("a", encoding="utf-8") as file:
            file.write(content)

    # Time -----------------------------------------------------------------------------

    def _left(self) -> float | None:
        if self._until is None:
            return None
        return max(0.0, self._until - time.monotonic())

    def _is_over(self) -> bool:
        return self._left() == 0.0

    def tell(self, done: int, n: int, seconds: float) -> None:
        if done == n or time.monotonic() - self._told >= TOLD_SECONDS:
            self._told = time.monotonic()
            self.progress(Step(WRITING, done, n, seconds=seconds))


class _Writer:
    """Writes segments, always in the same batches: to the bit the same after a kill."""

    def __init__(
        self, stages: Stages, infillers: Infillers, n: int, kept: dict[int, Negative]
    ) -> None:
        options = stages.task.options
        self._stages, self._infillers, self._n, self._kept = stages, infillers, n, kept
        self._chooser = Chooser(infillers.filler, options)
        self._sampling = Sampling(
            options.gamma, options.temperature, options.top_p, options.max_new_tokens
        )
        self._seed = options.seed
        self._seconds = sum(one.seconds for one in kept.values())

    def slab(self, documents: Sequence[int]) -> bool:
        """False if time runs out before everything is written."""
        texts = [self._stages.task.data.texts[k] for k in documents]
        segments = self._chooser(documents, texts, self._infillers.amateur)
        filler = self._infillers.filler
        found, sources = [], []
        for document, text, segment in zip(documents, texts, segments, strict=True):
            if isinstance(segment, str):
                self._add([Negative(document, why=segment)])
                continue
            source, removed = _cdm_task.asked(filler, text, segment)
            found.append(Negative(document, *segment, human=filler.written(removed)))
            sources.append(source)
        ids = filler.backbone.ids(sources, end=True)
        rows = [ids[source] for source in sources]
        most = _cdm_negatives.budget(self._stages.device)
        for batch in batches.plan([len(row) for row in rows], most):
            part = [found[k] for k in batch]
            if all(one.document in self._kept for one in part):
                continue
            self._write(part, [rows[k] for k in batch])
            if self._stages._is_over():
                return len(self._kept) >= self._n
        return True

    def _write(self, part: Sequence[Negative], rows: Sequence[Any]) -> None:
        started = time.monotonic()
        filled = _cdm_negatives.fill(
            self._infillers,
            rows,
            [rng_of(self._seed, one.document, _cdm_task.NOISE) for one in part],
            self._sampling,
            self._tell,
        )
        seconds = time.monotonic() - started
        self._seconds += seconds
        self._add(
            [
                one._replace(
                    machine=new.text,
                    finished=new.finished,
                    seconds=round(seconds / len(part), 6),
                )
                for one, new in zip(part, filled, strict=True)
            ]
        )
        self._tell()

    def _add(self, negatives: Sequence[Negative]) -> None:
        new = [one for one in negatives if one.document not in self._kept]
        if new:
            self._stages.keep(new)
            self._kept |= {one.document: one for one in new}

    def _tell(self) -> None:
        self._stages.tell(len(self._kept), self._n, self._seconds)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def _no_expert(amateur: float, expert: float) -> str:
    if math.isnan(amateur):
        return (
            "No segment was held out, so nothing shows whether the expert is the better"
            " model."
        )
    return (
        "The expert is not the better model. On held-out segments its loss is"
        f" {expert:.3f} nats per token and the amateur's is {amateur:.3f}: the metric"
        " assumes that the expert's is lower, so its scores may mean nothing."
    )
