"""What Generative CDM learns: to fill gaps, and to tell people's texts from others."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from annotation.perturbations import _text
from scoring.metrics._cdm import segments
from scoring.metrics._cdm.negatives import Filler, Infillers
from scoring.metrics._cdm.options import GenerativeCDMTraining
from scoring.metrics._cdm.segments import Choice, Room, Segment
from scoring.metrics._engine import batches, likelihood, models
from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.likelihood import Ids, Pair
from scoring.metrics._learning.classified import HUMAN
from scoring.metrics._learning.corruptions import rng_of
from scoring.metrics._learning.heads import Reader
from scoring.metrics._learning.tasks import HeadTask, Labelled
from scoring.metrics._learning.training import TrainingData

MACHINE = "machine"
METRIC = "generative_cdm"
CHOICE, NOISE, LEARNING, ENDING = range(4)  # what is drawn of a document's chance
SHARED = 4  # special tokens around a source, at most
UNTOUCHED = -100  # of a label that counts for nothing


class Negative(NamedTuple):
    """What became of a document. Without `start` there was no segment: see `why`."""

    document: int
    start: int = -1
    end: int = -1
    cut: int = -1
    human: str = ""  # the segment, as its tokens say it
    machine: str = ""  # what was written in its place
    finished: bool = False
    seconds: float = 0.0
    why: str = ""

    @property
    def was_written(self) -> bool:
        return self.start >= 0

    @property
    def differs(self) -> bool:
        return self.human != self.machine

    @property
    def is_usable(self) -> bool:
        """A segment that was cut off is no sample; an unchanged one is no negative."""
        return (
            self.was_written and self.finished and self.differs and self.machine != ""
        )

    def both(self, text: str, rng: np.random.Generator) -> tuple[str, str] | None:
        """The person's text and the other: alike, but for the segment and the end.

        Each ends with the sentence that brings it nearest to a length that is drawn for
        both. Otherwise length would give away rewritten texts, which are often shorter.
        None if the shortest form of one is longer than the longest of the other.
        """
        after = text[self.end : self.cut]
        ends = [end for _, end in _text.spans(after)] or [len(after)]
        follow = np.array([len(after[:end].split()) for end in ends])
        sides = [text[: self.start] + one for one in (self.human, self.machine)]
        lengths = [len(side.split()) + follow for side in sides]
        low, high = max(one[0] for one in lengths), min(one[-1] for one in lengths)
        if low > high:
            return None
        drawn = rng.integers(low, high + 1)
        human, machine = (
            side + after[: ends[int(np.argmin(abs(one - drawn)))]]
            for side, one in zip(sides, lengths, strict=True)
        )
        return human, machine


class Discriminator(HeadTask):
    """Human texts, and the same number of copies with a rewritten segment."""

    per_document = 2
    options: GenerativeCDMTraining

    def __init__(self, data: TrainingData, options: GenerativeCDMTraining) -> None:
        super().__init__(data, options, (MACHINE, HUMAN))
        self.negatives: dict[int, Negative] = {}
        self.infillers: dict[str, object] = {}  # what is known of the two models

    @property
    def documents(self) -> list[int]:
        """All that need a negative, those held out first."""
        return [*self.kept, *self.learned]

    def of(self, document: int, number: int) -> list[Labelled]:
        one = self.negatives.get(document)
        if one is None or not one.is_usable:
            return []
        rng = rng_of(self.options.seed, abs(number), ENDING, int(number < 0))
        both = one.both(self.data.texts[document], rng)
        if both is None:
            return []
        human, machine = (self.read_as(document, one) for one in both)
        return [Labelled(human, 1.0), Labelled(machine, 0.0)]

    def check_negatives(self) -> None:
        """Raise MetricError if there is nothing to learn from or to hold out."""
        for name, documents in (("learned", self.learned), ("held out", self.kept)):
            if not any(self.of(document, 0) for document in documents):
                raise MetricError(
                    f"none of the {len(documents)} texts that are {name} has a"
                    " rewritten segment: give longer texts, or change the options unit,"
                    " words or max_new_tokens"
                )

    def facts(self) -> dict[str, object]:
        found = {"metric": METRIC, "gamma": self.options.gamma}
        warning = self.infillers.get("warning")
        return found | ({"warning": warning} if warning else {})

    def figures(self, network: Reader, examples: list[Labelled]) -> dict[str, object]:
        return {
            **super().figures(network, examples),
            "regenerated": described(list(self.negatives.values())),
            "infilling models": self.infillers,
        }


def described(negatives: Sequence[Negative]) -> dict[str, object]:
    """How segments compare with those that they replace. None where there are none."""
    written = [one for one in negatives if one.was_written]
    lengths = [
        (len(one.machine.split()), max(1, len(one.human.split()))) for one in written
    ]
    seconds = sum(one.seconds for one in written)
    return {
        "texts": len(negatives),
        "without a segment": len(negatives) - len(written),
        "share that differs": _mean([one.differs for one in written]),
        "share cut off": _mean([not one.finished for one in written]),
        "mean length ratio": _mean([new / old for new, old in lengths]),
        "per second": len(written) / seconds if seconds else None,
    }


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


class Chooser:
    """Which segment of a text is removed."""

    def __init__(self, filler: Filler, options: GenerativeCDMTraining) -> None:
        room = options.text_tokens - options.max_new_tokens
        if filler.limit is not None:
            room = min(room, filler.limit - SHARED)
        self._filler = filler
        self._room = Room(room, options.max_new_tokens - 1)
        self._words = options.words if options.unit == "words" else 0
        self._options = options

    def choices(self, texts: Sequence[str]) -> list[Choice | str]:
        """What could be removed of each, or why nothing can."""
        found = segments.choices(
            texts, self._room, self._filler.count, words=self._words
        )
        reasons = map(self._filler.backbone.reason, texts)
        return [reason or one for reason, one in zip(reasons, found, strict=True)]

    def __call__(
        self, numbers: Sequence[int], texts: Sequence[str], amateur: Any
    ) -> list[Segment | str]:
        """What is removed of the documents of these numbers.

        `amateur` (a model) says what tells most where that is asked for.
        """
        choices = self.choices(texts)
        if self._options.segment == "strategic":
            return self._telling(choices, texts, amateur)
        seed = self._options.seed
        return [
            one
            if isinstance(one, str)
            else segments.drawn(one, rng_of(seed, number, CHOICE))
            for number, one in zip(numbers, choices, strict=True)
        ]

    def _telling(
        self, choices: Sequence[Choice | str], texts: Sequence[str], amateur: Any
    ) -> list[Segment | str]:
        """By the amateur's probability of the whole text, given nothing but a gap."""
        engine = likelihood.seq2seq(amateur)
        backbone, lead = self._filler.backbone, self._filler.lead
        (bare,) = backbone.ids([backbone.mask], end=True).values()
        read = [
            text[: one.cut]
            for text, one in zip(texts, choices, strict=True)
            if not isinstance(one, str)
        ]
        places = backbone.places(read)
        pairs = [Pair(bare, (*lead, *ids), first=len(lead)) for ids, _ in places]
        told = zip(places, engine.logprobs(pairs), strict=True)
        found: list[Segment | str] = []
        for one in choices:
            if isinstance(one, str):
                found.append(one)
                continue
            (_, ends), logs = next(told)
            found.append(segments.telling(one, np.array(ends), -logs))
        return found


def asked(filler: Filler, text: str, segment: Segment) -> tuple[str, str]:
    """The source with a gap, and what belongs into it."""
    start, end, cut = segment
    return filler.source(text[:start], text[end:cut]), text[start:end]


def losses(
    infillers: Infillers, sources: Sequence[tuple[str, str]]
) -> tuple[float, float]:
    """Mean -log p of the segments' tokens under amateur and expert, in nats.

    NaN where there is no segment.
    """
    pairs = infillers.filler.pairs(sources)
    found = []
    for model in (infillers.amateur, infillers.expert):
        logs = likelihood.seq2seq(model).logprobs(pairs)
        tokens = np.concatenate([*logs, np.empty(0)])
        found.append(float(-tokens.mean()) if len(tokens) else float("nan"))
    return found[0], found[1]


class Infilling(HeadTask):
    """To write segments that were removed, given what is around them."""

    def __init__(
        self, data: TrainingData, options: GenerativeCDMTraining, folder: Path
    ) -> None:
        changed = dataclasses.replace(
            options, rate=options.infill_rate, epochs=options.infill_epochs
        )
        super().__init__(data, changed)
        self._folder, self._filler = folder, Filler(folder)
        self._chooser = Chooser(self._filler, options)

    def of(self, document: int, number: int) -> list[Any]:
        text = self.data.texts[document]
        (choice,) = self._chooser.choices([text])
        if isinstance(choice, str):
            return []
        rng = rng_of(self.options.seed, abs(number), LEARNING, int(number < 0))
        segment = segments.drawn(choice, rng)
        return self._filler.pairs([asked(self._filler, text, segment)])

    def build(self, device: str) -> Any:
        return models.seq2seq(self._folder, device=device, dtype="float32")

    def loss(self, network: Any, examples: list[Any]) -> torch.Tensor:
        """Mean over all tokens of the segments."""
        start, device = self._filler.start, network.device

        def padded(rows: Sequence[Ids], value: int) -> torch.Tensor:
            return torch.from_numpy(batches.pad(rows, value)[0]).to(device)

        sources = [one.source for one in examples]
        logits = network(
            input_ids=padded(sources, self._filler.pad),
            attention_mask=torch.from_numpy(batches.pad(sources, 0)[1])
            .to(device)
            .long(),
            decoder_input_ids=padded(
                [(start, *one.target[:-1]) for one in examples], self._filler.pad
            ),
            use_cache=False,
        ).logits
        wanted = padded(
            [(UNTOUCHED,) * one.first + one.target[one.first :] for one in examples],
            UNTOUCHED,
        )
        return torch.nn.functional.cross_entropy(
            logits.float().flatten(0, 1), wanted.flatten(), ignore_index=UNTOUCHED
        )

    def figures(self, network: Any, examples: list[Any]) -> dict[str, object]:
        size, found = self.options.batch, []
        with torch.no_grad():
            for start in range(0, len(examples), size):
                part = examples[start : start + size]
                found += [self.loss(network, part).item()] * len(part)
        return {"n": len(examples), "loss": _mean(found)}

    def save(self, network: Any, folder: Path) -> None:
        """With the tokenizer's files as they were."""
        network.save_pretrained(folder)
        for pattern in models.CONTENTS:
            for path in self._folder.glob(pattern):
                if "safetensors" not in path.name and path.name != "config.json":
                    shutil.copyfile(path, folder / path.name)
