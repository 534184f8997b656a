"""The training loop, the same for all trained metrics, in slices that can be killed.

All that a training needs to go on lies in one file, replaced as a whole: weights,
optimizer, random numbers, losses. Examples depend on (seed, number) alone, so a
training that was cut anywhere ends in the same weights as one that was not.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from scoring.metrics import _hygiene
from scoring.metrics._base import MetricError
from scoring.metrics._training import (
    MODEL,
    Step,
    Training,
    TrainingProgress,
    rate_of,
)

STATE, LOG, CARD = "state.pt", "log.json", "training.json"
WARMUP, CLIP, DECAY = 0.06, 1.0, 0.01
LOOKS = 20  # at what is held out, in a training
LOOKED_AT = 256  # examples of a look
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

    def figures(self, network: Any, examples: list[Any]) -> dict[str, Any]:
        """How good the trained network is with what is held out."""

    def save(self, network: Any, folder: Path) -> None:
        """Write the finished checkpoint."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long, and with what seed."""

    epochs: float
    batch: int
    seed: int


@dataclasses.dataclass
class State:
    """A training under way."""

    network: Any
    optimizer: Any
    step: int = 0
    seconds: float = 0.0
    log: list[dict[str, float]] = dataclasses.field(default_factory=list)
    losses: list[float] = dataclasses.field(default_factory=list)  # since the last look


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
    about: dict[str, Any] | None = None,
    stage: str = "training",
) -> bool:
    """Go on where the folder ends, for so many seconds; True at the end.

    Args:
        task: What is learned.
        plan: For how long.
        folder: Where the state is kept, and the checkpoint at last.
        progress: Told of each step or two.
        seconds: Of this slice; None: to the end.
        device: Where to train.
        about: Facts for the checkpoint's card.
        stage: What people read beside the progress.
    """
    if (folder / MODEL).is_dir():
        return True
    slice_ = _Slice(task, plan, folder, progress, device, stage)
    if not slice_.run(seconds):
        return False
    slice_.finish(about or {})
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
    ) -> None:
        self.task, self.plan, self.folder, self.stage = task, plan, folder, stage
        self.progress, self.device = progress, device
        self.steps = steps_of(task, plan)
        self.documents = max(1, plan.batch // task.per_document)
        self.held_out = task.held_out()
        self.tell(None, 0.0)
        self.state = self._begun()
        if (folder / STATE).exists():
            self._restore()
        self._told = self._saved = time.monotonic()
        self._save_cost = 0.0

    def run(self, seconds: float | None) -> bool:
        state, started, before = self.state, time.monotonic(), self.state.seconds
        while state.step < self.steps:
            if seconds is not None and time.monotonic() - started >= seconds:
                self.save()
                return False
            self._train()
            state.seconds = before + time.monotonic() - started
            if state.step % self._every() == 0 or state.step == self.steps:
                self._look()
            self._report()
        return True

    def finish(self, about: dict[str, Any]) -> None:
        """The checkpoint appears as a whole, or not at all."""
        waiting = self.folder / f"{MODEL}.{os.getpid()}.tmp"
        shutil.rmtree(waiting, ignore_errors=True)
        waiting.mkdir()
        network = self.state.network.eval()
        card = {
            **about,
            "steps": self.state.step,
            "seconds": round(self.state.seconds, 1),
            "rate": self.rate,
            "device": self.device,
            "log": self.state.log,
            "figures": self.task.figures(network, self.held_out),
        }
        self.task.save(network, waiting)
        np.save(waiting / _hygiene.SEEN, _hygiene.seen(self.task.seen))
        (waiting / CARD).write_text(json.dumps(card, indent=1) + "\n")
        if not (self.folder / MODEL).exists():  # another worker may have been faster
            os.replace(waiting, self.folder / MODEL)
        (self.folder / STATE).unlink(missing_ok=True)

    def save(self) -> None:
        """A broken write leaves the old file."""
        started = time.monotonic()
        state = self.state
        content = {
            "network": state.network.state_dict(),
            "optimizer": state.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "step": state.step,
            "seconds": state.seconds,
            "log": state.log,
            "losses": state.losses,
        }
        waiting = self.folder / f"{STATE}.{os.getpid()}.tmp"
        torch.save(content, waiting)
        os.replace(waiting, self.folder / STATE)
        self._saved = time.monotonic()
        self._save_cost = self._saved - started

    def tell(self, loss: float | None, seconds: float) -> None:
        state = getattr(self, "state", None)
        last = state.log[-1] if state and state.log else {}
        self.progress(
            Step(
                self.stage,
                state.step if state else 0,
                self.steps,
                loss if loss is not None else last.get("loss"),
                last.get("held_out"),
                seconds,
            )
        )

    def _report(self) -> None:
        now, state = time.monotonic(), self.state
        if now - self._told >= REPORT_SECONDS or state.step == self.steps:
            recent = state.losses[-20:]
            self.tell(float(np.mean(recent)) if recent else None, state.seconds)
            self._told = now
        if now - self._saved >= max(SAVE_SECONDS, self._save_cost / SAVE_SHARE):
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
        loss.backward()
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), CLIP)
        state.optimizer.step()
        state.optimizer.zero_grad(set_to_none=True)
        state.losses.append(_finite(loss.item(), state.step))

    def _batch(self, step: int) -> list[Any]:
        """Documents in an order that each epoch draws anew."""
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
            entry["held_out"] = round(self._held_out_loss(), 5)
        state.log.append(entry)
        state.losses = []

    def _held_out_loss(self) -> float:
        network, size = self.state.network.eval(), self.plan.batch
        looked_at = self.held_out[:LOOKED_AT]
        total = 0.0
        with torch.no_grad():
            for start in range(0, len(looked_at), size):
                part = looked_at[start : start + size]
                with self._autocast():
                    total += self.task.loss(network, part).item() * len(part)
        network.train()
        return total / len(looked_at)

    def _autocast(self) -> Any:
        kind = torch.device(self.device).type
        wanted = self.task.options.precision
        coarse = wanted == "bfloat16" or (wanted == "auto" and _has_bfloat16(kind))
        return torch.autocast(kind, torch.bfloat16, enabled=coarse)

    def _begun(self) -> State:
        torch.manual_seed(self.plan.seed)
        network = self.task.build(self.device).train()
        widths = (p.shape[-1] for p in network.parameters() if p.ndim > 1)
        self.rate = rate_of(self.task.options, next(widths))
        return State(network, _optimizer(network, self.rate))

    def _restore(self) -> None:
        state = self.state
        content = torch.load(
            self.folder / STATE, map_location=self.device, weights_only=True
        )
        state.network.load_state_dict(content["network"])
        state.optimizer.load_state_dict(content["optimizer"])
        for name in ("step", "seconds", "log", "losses"):
            setattr(state, name, content[name])
        torch.set_rng_state(content["random"].cpu())


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
    return torch.optim.AdamW(groups, rate)


def _has_bfloat16(kind: str) -> bool:
    """Whether the device multiplies in bfloat16 faster than in float32."""
    if kind != "cpu":
        return kind == "cuda"
    found = torch.cpu.get_capabilities()
    return any(found.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def _finite(loss: float, step: int) -> float:
    if not math.isfinite(loss):
        raise MetricError(
            f"the loss is not finite at step {step}: try a smaller rate than this one"
        )
    return loss
