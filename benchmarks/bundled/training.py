"""The training loop, the same for all models."""

from __future__ import annotations

import dataclasses
import itertools
import math
import platform
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.bundled import checkpoints, cooccurrence
from benchmarks.bundled.checkpoints import State
from benchmarks.bundled.pack import Pack
from benchmarks.bundled.recipes import Recipe
from benchmarks.bundled.windows import Batches, Objective, Place

if TYPE_CHECKING:
    from torch import Tensor

    Batch = list[dict[str, Tensor]]  # in parts

FLOOR = 0.02  # of the peak learning rate, at the end
READ_EVERY = 20  # steps; reading the loss makes the device wait
COMPILED_ON = 4  # batches, before the clock starts
HELD_OUT_SEED = 1  # of what is held out the same examples are made each time


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long, how large, and on what."""

    seed: int = 2022
    tokens: float | None = None  # in all; default: the recipe's
    budget_minutes: float | None = None  # in all, if these are over sooner
    minutes: float | None = None  # of this command
    every_minutes: float = 2.0  # between checkpoints, each with a held-out loss
    batch: int | None = None  # tokens; default: the recipe's
    held_out_tokens: int = 400_000
    device: str = "cpu"
    workers: int = 0  # processes that make batches
    compile: bool = False


class Trainer:
    """One training, new or continued."""

    def __init__(self, recipe: Recipe, pack: Pack, path: Path, plan: Plan) -> None:
        self.recipe, self.path, self.plan = recipe, path, plan
        self.objective: Objective = recipe.objective(pack)
        self.batches = self._batches(pack, held_out=False)
        self.held_out = self._held_out(pack)
        self.state = self._begun(pack)
        if path.exists():
            checkpoints.restore(path, self.state, device=plan.device)
            self.state.facts["budget"] = self._budget()  # of this command

    def run(self) -> State:
        """Train until the end, or until this command's minutes are over."""
        if self.plan.compile:
            self._compile()
        state, started = self.state, time.monotonic()
        saved, losses = started, []
        bar = self._bar()
        loader, before = self._loader(), state.seconds
        for place, batch in loader:
            if self.progress() >= 1 or self._is_over(started):
                break
            losses.append(self._step(batch))
            self._count(place, batch)
            now = time.monotonic()
            state.seconds = before + now - started
            if state.step % READ_EVERY == 0:
                bar.set_postfix(loss=f"{losses[-1].item():.3f}", refresh=False)
                bar.update(round(1000 * self.progress()) - bar.n)
            if now - saved > 60 * self.plan.every_minutes:
                self._save(losses)
                losses, saved = [], time.monotonic()
        state.done = self.progress() >= 1
        self._save(losses)
        bar.close()
        return state

    def progress(self) -> float:
        """Share of the training that is done, by tokens or, if sooner, by the clock."""
        read = self.state.tokens / (self.plan.tokens or self.recipe.tokens)
        if self.plan.budget_minutes is None:
            return read
        return max(read, self.state.seconds / (60 * self.plan.budget_minutes))

    def held_out_loss(self) -> float:
        """Mean loss of what is held out. Leaves all random numbers as they are."""
        import torch

        network = self.state.network.eval()
        total, targets = 0.0, 0.0
        # To compile once more for a few hundred small batches would not pay.
        with torch.no_grad(), torch.compiler.set_stance("force_eager"):
            for arrays in self.held_out:
                with self._autocast():
                    loss, n = self.objective.loss(network, self._moved(arrays))
                total, targets = total + float(loss) * float(n), targets + float(n)
        network.train()
        return total / targets

    def _compile(self) -> None:
        """Compile the layers before the clock starts. Leaves all random numbers."""
        import torch

        _compile_layers(self.objective.trunk(self.state.network))
        placed = _Placed(self.batches, self.recipe.parts)
        places = itertools.islice(_Places(self.batches, self.state.place), COMPILED_ON)
        devices = [] if self.plan.device == "cpu" else [self.plan.device]
        with torch.random.fork_rng(devices):
            for place in places:
                self._backward(placed[place][1])
        self.state.optimizer.zero_grad(set_to_none=True)

    def _step(self, batch: Batch) -> Any:
        import torch

        state = self.state
        share = self.recipe.rate * _schedule(self.progress(), self.recipe.warmup)
        for group in state.optimizer.param_groups:
            group["lr"] = share * group["pace"]
        mean = self._backward(batch)
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), self.recipe.clip)
        state.optimizer.step()
        state.optimizer.zero_grad(set_to_none=True)
        return mean

    def _backward(self, batch: Batch) -> Any:
        """Gradients of the mean loss of all targets, which is returned."""
        means, counts = [], [len(part["labels"]) for part in batch]
        for part, n in zip(batch, counts, strict=True):
            with self._autocast():
                loss, _ = self.objective.loss(self.state.network, self._moved(part))
            # Of the only part as it is: it may have no target, and a loss all the same.
            own = loss * (n / sum(counts)) if len(batch) > 1 else loss
            own.backward()
            means.append(own.detach())
        return sum(means)

    def _count(self, place: Place, batch: Batch) -> None:
        state = self.state
        state.step += 1
        # Whatever is read: sources and targets, texts.
        read = (value for part in batch for value in part.values() if value.ndim == 2)
        state.tokens += sum(value.numel() for value in read)
        state.place = (place[0], place[1] + 1)

    def _save(self, losses: list[Any]) -> None:
        import torch

        state = self.state
        entry = {
            "step": state.step,
            "tokens": state.tokens,
            "seconds": round(state.seconds, 1),
            "epoch": state.place[0],
            "held_out": round(self.held_out_loss(), 4),
        }
        if losses:
            entry["loss"] = round(torch.stack(losses).mean().item(), 4)
        state.log.append(entry)
        checkpoints.save(self.path, state)
        print(f"\n{self.recipe.name}: {entry}", flush=True)

    def _is_over(self, started: float) -> bool:
        if self.plan.minutes is None:
            return False
        return time.monotonic() - started > 60 * self.plan.minutes

    def _loader(self) -> Iterator[tuple[Place, Batch]]:
        """Batches from where the training stands, made by other processes."""
        import torch
        from torch.utils.data import DataLoader

        batches: Any = _Placed(self.batches, self.recipe.parts)
        return iter(
            DataLoader(
                batches,
                batch_size=None,
                sampler=_Places(self.batches, self.state.place),
                num_workers=self.plan.workers,
                prefetch_factor=8 if self.plan.workers else None,
                pin_memory=self.plan.device != "cpu",
                # Else it would take of the random numbers that dropout needs.
                generator=torch.Generator(),
            )
        )

    def _moved(self, batch: Mapping[str, Tensor]) -> dict[str, Tensor]:
        device = self.plan.device
        return {k: v.to(device, non_blocking=True) for k, v in batch.items()}

    def _autocast(self) -> Any:
        import torch

        kind = self.plan.device.partition(":")[0]
        return torch.autocast(kind, torch.bfloat16, enabled=_has_bfloat16(kind))

    def _batches(self, pack: Pack, *, held_out: bool) -> Batches:
        return Batches(
            pack,
            self.objective,
            budget=self.recipe.held_out_batch if held_out else self._batch(),
            seed=HELD_OUT_SEED if held_out else self.plan.seed,
            held_out=held_out,
        )

    def _held_out(self, pack: Pack) -> list[dict[str, Tensor]]:
        """The first batches of one epoch, always the same."""
        batches = self._batches(pack, held_out=True)
        found, tokens = [], 0
        for number in range(batches.count(0)):
            if tokens >= self.plan.held_out_tokens:
                break
            found.append(_tensors(batches[0, number]))
            tokens += next(iter(found[-1].values())).numel()
        return found

    def _begun(self, pack: Pack) -> State:
        import torch

        torch.manual_seed(self.plan.seed)
        torch.set_float32_matmul_precision("high")
        network = self.objective.network(self.recipe.sizes)
        _embed(network, self.objective.last_norm(network), pack, self.recipe.spread)
        network = network.to(self.plan.device).train()
        if self.plan.device == "cpu":
            # The fused kernel's backward pass takes a third of a step there.
            network.set_attn_implementation("eager")
        # It would make a plan for each new shape, and nearly every batch has one.
        torch.backends.cuda.enable_cudnn_sdp(False)
        facts = {
            "recipe": self.recipe.name,
            "seed": self.plan.seed,
            "pack": pack.facts["hash"],
            "parameters": _parameters(network),
            "device": _device(self.plan.device),
            "batch": self._batch(),
            "rate": self.recipe.rate,
            "budget": self._budget(),
        }
        return State(network, _optimizer(network, self.recipe), facts=facts)

    def _batch(self) -> int:
        return self.plan.batch or self.recipe.batch

    def _budget(self) -> str:
        tokens = f"{self.plan.tokens or self.recipe.tokens:.3g} tokens"
        if self.plan.budget_minutes is None:
            return tokens
        return f"{tokens} or {self.plan.budget_minutes:g} minutes"

    def _bar(self) -> Any:
        from tqdm import tqdm

        done = round(1000 * self.progress())
        return tqdm(
            total=1000, initial=done, desc=self.recipe.name, unit="‰", mininterval=5
        )


class _Placed:
    """Batches together with their places, as torch's loader wants them."""

    def __init__(self, batches: Batches, parts: int) -> None:
        self.batches, self.parts = batches, parts

    def __getitem__(self, place: Place) -> tuple[Place, Batch]:
        return place, [_tensors(one) for one in self.batches.parts(place, self.parts)]


class _Places:
    """Places from a given one on, without end."""

    def __init__(self, batches: Batches, start: Place) -> None:
        self.batches, self.start = batches, start

    def __iter__(self) -> Iterator[Place]:
        epoch, number = self.start
        while True:
            for k in range(number, self.batches.count(epoch)):
                yield epoch, k
            epoch, number = epoch + 1, 0


def _compile_layers(trunk: Any) -> None:
    """Layer by layer: what is compiled of one serves all of its kind."""
    from torch.nn import ModuleList

    for stack in trunk.modules():
        if isinstance(stack, ModuleList):
            for layer in stack:
                layer.compile(dynamic=True)


def _schedule(progress: float, warmup: float) -> float:
    """A linear rise, then half a cosine down to FLOOR."""
    if progress < warmup:
        return max(progress / warmup, 0.01)
    share = min(1.0, (progress - warmup) / (1 - warmup))
    return FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * share))


def _optimizer(network: Any, recipe: Recipe) -> Any:
    import torch

    embeddings = network.get_input_embeddings().weight
    own = [p for p in network.parameters() if p.requires_grad and p is not embeddings]
    plain = {"weight_decay": 0.0, "pace": 1.0}
    groups = [
        {"params": [embeddings], "weight_decay": 0.0, "pace": recipe.pace},
        {"params": [p for p in own if p.ndim < 2], **plain},
        {"params": [p for p in own if p.ndim > 1], **plain}
        | {"weight_decay": recipe.decay},
    ]
    return torch.optim.AdamW(groups, recipe.rate, betas=(0.9, 0.98), fused=True)


def _tensors(arrays: dict[str, np.ndarray]) -> dict[str, Tensor]:
    import torch

    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def _embed(network: Any, last_norm: Any, pack: Pack, spread: float) -> None:
    """Begin with what tokens stand near each other in the pack."""
    import torch

    own = network.get_input_embeddings().weight
    found = cooccurrence.read(pack.folder, own.shape[1], spread)
    if found is None:
        return
    with torch.no_grad():
        own.copy_(torch.from_numpy(found))
        # Output layers share the embeddings, and logits shall begin small all the same.
        last_norm.weight.fill_(cooccurrence.SPREAD / spread)


def _has_bfloat16(kind: str) -> bool:
    """Whether the device multiplies in bfloat16 faster than in float32."""
    import torch

    if kind != "cpu":
        return True
    found = torch.cpu.get_capabilities()
    return any(found.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def _parameters(network: Any) -> int:
    return sum(p.numel() for p in network.parameters())


def _device(name: str) -> str:
    import torch

    if name.startswith("cuda"):
        return torch.cuda.get_device_name(name)
    return f"{torch.get_num_threads()} thread(s), {platform.machine()} CPU"
