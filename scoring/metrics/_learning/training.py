"""What a training receives and reports, and the options that all trainings have."""

from __future__ import annotations

import dataclasses
import hashlib
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from scoring.metrics._engine import models
from scoring.metrics._engine.base import OptionError, option

MODEL = models.TRAINED  # within the folder of a training: the finished checkpoint
MODEL_HELP = "checkpoint:STUDY/NAME of a finished training, or its folder"
BASE_HELP = "the encoder that training starts from"
# Where no rate is given: large pre-trained models get a smaller one.
CAREFUL_FROM = 512  # width
SMALL_RATE = 5e-4


class Rated(NamedTuple):
    """A text that people rated, beside a text that answers the same prompt."""

    text: str
    reference: str
    rating: float  # 0 to 1, higher is better
    document: str  # texts of one document are held out together
    prefix: str = ""  # that the text begins with
    source: str = ""  # what the text answers


@dataclasses.dataclass(frozen=True, slots=True)
class TrainingData:
    """What a metric may learn from, and what it must not."""

    texts: Sequence[str] = ()  # by people
    labels: Sequence[str] = ()  # of each text, where an attribute is learned
    sources: Sequence[str] = ()  # what each text answers, where that is read
    tests: Sequence[str] = ()  # texts that figures are taken of: never learned from
    test_labels: Sequence[str] = ()  # of each, where an attribute is learned
    rated: Sequence[Rated] = ()
    evaluated: Sequence[str] = ()  # texts that will be scored: never learned from
    seed: int = 0
    # The rated texts will be scored: each by a model that saw none of its document.
    cross_fitted: bool = False


class Step(NamedTuple):
    """How far a training is, once a second or so."""

    stage: str  # "preparing the texts", "training"
    step: int
    steps: int
    loss: float | None = None  # mean over the steps since the last look
    held_out: float | None = None  # loss of what is held out, at the last look
    seconds: float = 0.0  # spent on this stage, over all its slices


# May raise to stop early: the exception is let through, and what was kept is kept.
TrainingProgress = Callable[[Step], None]


@dataclasses.dataclass(frozen=True)
class Training:
    """Options of every training; those of one metric inherit from it."""

    base: str = option(
        "bundled:encoder-small",
        BASE_HELP,
        typed=models.ENCODER_HELP,
        path="model",
        label="Model to start from",
        takes=("encoder", "causal"),
    )
    pooling: str = option(
        "auto",
        "what the head reads: the first token (cls, for BERT), the last one (for causal"
        " models) or the mean of all tokens; automatic: cls or last for wide models,"
        " mean for the small bundled ones",
        ("auto", "cls", "last", "mean"),
        label="What the head reads",
        titles=("automatic", "first token", "last token", "mean of all tokens"),
    )
    texts: int = option(
        20_000,
        "most texts to learn from; if there are more, the seed draws a sample",
        label="Most texts to learn from",
    )
    epochs: float = option(3.0, "how many times each text is used", label="Epochs")
    batch: int = option(32, "examples per training step", label="Examples per step")
    rate: float = option(
        0.0,
        "peak learning rate; 0: the paper's for wide models, 5e-4 for small ones",
        label="Peak learning rate",
    )
    max_tokens: int = option(
        200,
        "longer texts are cut after this many tokens",
        label="Longest text, in tokens",
    )
    held_out: float = option(
        0.1,
        "share of the documents that is kept for testing and not learned from",
        label="Share of documents held out",
    )
    precision: str = option(
        "auto",
        "number format of large matrix products; automatic: bfloat16 where the device"
        " is faster with it",
        ("auto", "float32", "bfloat16"),
        label="Arithmetic",
        titles=("automatic", "32-bit floats", "bfloat16"),
    )
    seed: int = option(0, "decides every random draw", label="Seed")

    # What the metric's paper uses for BERT.
    RATE: ClassVar[float] = 2e-5

    def check(self) -> None:
        """Raise OptionError where a number is out of range."""
        for name, low, high in (
            ("texts", 8, 200_000),
            ("epochs", 0.01, 100),
            ("batch", 2, 1024),
            ("rate", 0, 1),
            ("max_tokens", 8, 4096),
            ("held_out", 0.01, 0.5),
            ("seed", 0, 2**32 - 1),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise OptionError(f"{name}={value:g}: expected {low:g} to {high:g}")


def digest(data: TrainingData) -> str:
    """Hash of all that is learned from."""
    found = hashlib.sha256(b"cross-fitted" if data.cross_fitted else b"")
    for kind in ("texts", "labels", "rated", "sources"):
        rows = getattr(data, kind)
        if kind == "sources" and not rows:
            continue  # what was begun before there were any goes on
        found.update(f"{kind} {len(rows)}\n".encode())
        for row in rows:
            found.update(_told(row).encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()


def _told(row: object) -> str:
    """Without what a rated text has not: what was begun before it could goes on."""
    if not isinstance(row, Rated):
        return repr(row)
    fields = row._asdict().items()
    told = [f"{k}={v!r}" for k, v in fields if v or k not in Rated._field_defaults]
    return f"Rated({', '.join(told)})"


def waiting(path: Path) -> Path:
    """Where a file is written before it takes its place as a whole.

    Workers in containers share folders and numbers of processes, so these will not do.
    """
    return path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.tmp")


def rate_of(options: Training, width: int) -> float:
    """The peak learning rate: as given, or what suits the size of the model."""
    if options.rate:
        return options.rate
    return options.RATE if width >= CAREFUL_FROM else SMALL_RATE
