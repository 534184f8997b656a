"""The training loop, the same for all trained metrics, in slices that can be killed.

Everything that a training needs to continue is in one file, replaced as a whole:
weights, optimizer, random numbers, losses. Examples depend on (seed, number) alone, so
a training that was cut anywhere ends in the same weights as one that was not: to the
bit, on one kind of processor with one number of threads.

AdamW on the mean loss of a step's examples; the rate rises linearly over the first 6 %
of the steps and falls linearly to a hundredth; gradients are cut at a norm of 1.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import math
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from scoring.metrics._engine import models
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning import hygiene, states
from scoring.metrics._learning.model_card import card
from scoring.metrics._learning.states import State
from scoring.metrics._learning.training import (
    MODEL,
    Step,
    Training,
    TrainingProgress,
    rate_of,
    waiting,
)

STATE, CARD, README = "state.pt", "training.json", "README.md"
WARMUP, CLIP, DECAY = 0.06, 1.0, 0.01
LOOKS = 16  # at what is held out, in a training: an eighth of a short one
LOOKED_AT = 128  # examples of a look
REPORT_SECONDS = 0.5
SAVE_SECONDS, SAVE_SHARE = 20.0, 0.05  # between saves, and of the time at most


class Task(Protocol):
    """What is learned."""

    n: int  # documents of an epoch
    per_document: int  # examples that one of them gives
    seen: Sequence[str]  # all texts that are learned from
    options: Training

    def build(self, device: str) -> torch.nn.Module:
        """The network as it begins; `torch.manual_seed` was called."""

    def examples(self, number: int) -> list[Any]:
        """Those of document `number % n` in epoch `number // n`; may be none."""

    def held_out(self) -> list[Any]:
        """Examples that are not learned from, always the same."""

    def loss(self, network: Any, examples: list[Any]) -> torch.Tensor:
        """Mean over the examples."""

    def figures(self, network: Any, examples: list[Any]) -> dict[str, object]:
        """How good the trained network is with what is held out."""

    def save(self, network: Any, folder: Path) -> None:
        """Write the finished checkpoint."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long, and with what seed."""

    epochs: float
    batch: int
    seed: int


def plan_of(options: Training) -> Plan:
    return Plan(options.epochs, options.batch, options.seed)


def steps_of(task: Task, plan: Plan) -> int:
    documents = max(1, plan.batch // task.per_document)
    return max(1, math.ceil(plan.epochs * task.n / documents))


def fit(
    task: Task,
    plan: Plan,
    folder: Path,
    progress: TrainingProgress,
    *,
    seconds: float | None = None,
    device: str = "cpu",
    about: Mapping[str, Any] | None = None,
    stage: str = "training",
) -> bool:
    """Continue from the folder's state for so many seconds; True when finished.

    Each call takes one step at least. A second process at the same folder does the
    same work again and harms nothing.

    Args:
        task: What is learned.
        plan: For how long.
        folder: Where the state is kept, and the checkpoint at last.
        progress: Told twice a second. What it raises is let through; all steps until
            then are kept.
        seconds: Of this slice; None: to the end.
        device: Where to train.
        about: Facts for the checkpoint's card. Its "signature", where there is one,
            must be that of the state in the folder.
        stage: What people read beside the progress.

    Raises:
        MetricError: If the loss is not finite, or the folder holds another training.
    """
    if (folder / MODEL).is_dir():
        return True
    slice_ = _Slice(task, plan, folder, progress, device, stage, about or {})
    if not slice_.run(seconds):
        return False
    slice_.finish()
    return True


class _Slice:
    def __init__(
        self,
        task: Task,
        plan: Plan,
        folder: Path,
        progress: TrainingProgress,
        device: str,
        stage: str,
        about: Mapping[str, Any],
    ) -> None:
        self.task, self.plan, self.folder, self.stage = task, plan, folder, stage
        self.progress, self.device, self.about = progress, device, about
        self.steps = steps_of(task, plan)
        self.documents = max(1, plan.batch // task.per_document)
        states.sweep(folder)
        self._told = self._saved = time.monotonic()
        self._save_cost = 0.0
        self.state = self._begun()
        states.restore(
            folder / STATE, self.state, about.get("signature"), device=device
        )
        self.tell()

    def run(self, seconds: float | None) -> bool:
        state, started, before = self.state, time.monotonic(), self.state.seconds
        while state.step < self.steps:
            self._train()
            state.seconds = before + time.monotonic() - started
            if state.step % self._every() == 0 or state.step == self.steps:
                self._look()
            self._report()
            over = seconds is not None and time.monotonic() - started >= seconds
            if over or state.step == self.steps:
                self.save()
            if over and state.step < self.steps:
                return False
        return True

    def finish(self) -> None:
        """The checkpoint appears as a whole, or not at all."""
        if not any("loss" in entry for entry in self.state.log):
            raise MetricError(
                f"nothing can be learned from the {self.task.n:,} texts: choose longer"
                " texts, or more of them"
            )
        made = waiting(self.folder / MODEL)
        made.mkdir()
        with self._evaluating() as network:
            facts = self._facts(self.task.figures(network, self.held_out))
            self.task.save(network, made)
        np.save(made / hygiene.SEEN, self._seen())
        (made / CARD).write_text(json.dumps(facts, indent=1) + "\n")
        (made / README).write_text(card(facts))
        try:
            os.replace(made, self.folder / MODEL)
        except OSError:
            if not (self.folder / MODEL).is_dir():
                raise
            shutil.rmtree(made, ignore_errors=True)  # another process was faster
        (self.folder / STATE).unlink(missing_ok=True)

    def _seen(self) -> np.ndarray:
        """Of these texts, and of those that the model it began with had learned."""
        base = hygiene.seen_by(models.find(self.task.options.base))
        return np.union1d(base, hygiene.seen(self.task.seen))

    def _facts(self, figures: Mapping[str, object]) -> dict[str, object]:
        """What the checkpoint's card says."""
        return {
            **self.about,
            "options": _without_folders(self.about.get("options", {})),
            "steps": self.state.step,
            "seconds": round(self.state.seconds, 1),
            "rate": self.rate,
            "device": self.device,
            "precision": "bfloat16" if self._is_coarse() else "float32",
            "parameters": sum(p.numel() for p in self.state.network.parameters()),
            "torch": torch.__version__,
            "log": self.state.log,
            "figures": figures,
        }

    @functools.cached_property
    def held_out(self) -> list[Any]:
        return self.task.held_out()

    def save(self) -> None:
        started = time.monotonic()
        signature = self.about.get("signature")
        states.write(self.folder / STATE, self.state, signature, device=self.device)
        self._saved = time.monotonic()
        self._save_cost = self._saved - started

    def tell(self) -> None:
        state = self.state
        last, recent = state.log[-1] if state.log else {}, state.losses[-20:]
        loss = float(np.mean(recent)) if recent else last.get("loss")
        held_out = last.get("held_out")
        self.progress(
            Step(self.stage, state.step, self.steps, loss, held_out, state.seconds)
        )
        self._told = time.monotonic()

    def _alive(self) -> None:
        if time.monotonic() - self._told >= REPORT_SECONDS:
            self.tell()

    def _report(self) -> None:
        try:
            if self.state.step == self.steps:
                self.tell()
            self._alive()
        except BaseException:
            self.save()  # cancelled: nothing that was learned is lost
            raise
        if time.monotonic() - self._saved >= max(
            SAVE_SECONDS, self._save_cost / SAVE_SHARE
        ):
            self.save()

    def _train(self) -> None:
        state = self.state
        examples = self._batch(state.step)
        state.step += 1
        if not examples:
            return
        for group in state.optimizer.param_groups:
            group["lr"] = self.rate * _schedule(state.step / self.steps)
        with self._autocast():
            loss = self.task.loss(state.network, examples)
        state.losses.append(self._finite(loss.item()))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), CLIP)
        state.optimizer.step()
        state.optimizer.zero_grad(set_to_none=True)

    def _finite(self, loss: float) -> float:
        if not math.isfinite(loss):
            raise MetricError(
                f"the loss is not finite at step {self.state.step} with a learning rate"
                f" of {self.rate:g}: start a new training with a smaller rate"
            )
        return loss

    def _batch(self, step: int) -> list[Any]:
        """Documents in an order that is drawn again for each epoch."""
        n = self.task.n
        first = step * self.documents
        found: list[Any] = []
        for place in range(first, first + self.documents):
            epoch, k = divmod(place, n)
            found += self.task.examples(epoch * n + int(self._order(epoch)[k]))
        return found

    def _order(self, epoch: int) -> np.ndarray:
        if getattr(self, "_ordered", None) != epoch:
            key = np.random.SeedSequence(self.plan.seed, spawn_key=(1, epoch))
            self._permutation = np.random.default_rng(key).permutation(self.task.n)
            self._ordered = epoch
        return self._permutation

    def _every(self) -> int:
        return max(1, self.steps // LOOKS)

    def _look(self) -> None:
        state = self.state
        entry: dict[str, float] = {
            "step": state.step,
            "seconds": round(state.seconds, 1),
        }
        if state.losses:
            entry["loss"] = round(float(np.mean(state.losses)), 5)
        if self.held_out:
            entry["held_out"] = round(self._finite(self._held_out_loss()), 5)
        state.log.append(entry)
        state.losses = []

    def _held_out_loss(self) -> float:
        size, looked_at = self.plan.batch, self.held_out[:LOOKED_AT]
        total = 0.0
        with self._evaluating() as network:
            for start in range(0, len(looked_at), size):
                part = looked_at[start : start + size]
                with self._autocast():
                    total += self.task.loss(network, part).item() * len(part)
        return total / len(looked_at)

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[Any]:
        """The network as it scores. Draws nothing from training; tells it is alive."""
        network = self.state.network.eval()
        hook = network.register_forward_hook(lambda *_: self._alive())
        kept = states.random(self.device)
        try:
            with torch.no_grad():
                yield network
        finally:
            hook.remove()
            states.set_random(kept, self.device)
            network.train()

    def _autocast(self) -> Any:
        kind = torch.device(self.device).type
        return torch.autocast(kind, torch.bfloat16, enabled=self._is_coarse())

    def _is_coarse(self) -> bool:
        wanted, kind = self.task.options.precision, torch.device(self.device).type
        return wanted == "bfloat16" or (wanted == "auto" and _has_bfloat16(kind))

    def _begun(self) -> State:
        torch.manual_seed(self.plan.seed)
        network = self.task.build(self.device).train()
        self.rate = rate_of(self.task.options, _width(network))
        return State(network, _optimizer(network, self.rate))


def _without_folders(options: Mapping[str, object]) -> dict[str, object]:
    """Other people read the card: it must not show paths of this machine."""
    return {
        name: Path(value).name
        if isinstance(value, str) and value.startswith("/")
        else value
        for name, value in options.items()
    }


def _width(network: Any) -> int:
    """Of the encoder's vectors; of its first matrix where it does not say."""
    for module in network.modules():
        width = getattr(getattr(module, "config", None), "hidden_size", None)
        if width:
            return int(width)
    return next((p.shape[-1] for p in network.parameters() if p.ndim > 1), 1)


def _schedule(share: float) -> float:
    """A linear rise, then a linear fall to a hundredth."""
    if share < WARMUP:
        return share / WARMUP
    return max(0.01, (1 - share) / (1 - WARMUP))


def _optimizer(network: Any, rate: float) -> Any:
    decayed = [p for p in network.parameters() if p.ndim > 1]
    plain = [p for p in network.parameters() if p.ndim < 2]
    groups = [
        {"params": decayed, "weight_decay": DECAY},
        {"params": plain, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, rate, fused=True)  # six times as fast


def _has_bfloat16(kind: str) -> bool:
    """Whether the device multiplies in bfloat16 faster than in float32."""
    if kind != "cpu":
        return kind == "cuda"
    found = torch.cpu.get_capabilities()
    return any(found.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
