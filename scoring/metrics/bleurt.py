"""BLEURT: how good a text is beside a reference, learned from what people said.

Sellam et al. (2020). An encoder reads both, the reference first, as in the paper, and
a head predicts a number:

    score(Y, R) = W tanh(V h(R, Y) + b) + c

- **Pre-training** on passages of a corpus and worse copies of them, made here: all of
  several signals at once, such as BLEU and ROUGE, by the mean of their squared errors.
- **Fine-tuning** on ratings of another study, scaled to 0 to 1, by the squared error.
  The head goes on from the mean of the signals. Texts of one prompt are learned from,
  or held out, together.

Either may be left out: pre-training with `pretrain_epochs=0`, fine-tuning where no
ratings are given. A checkpoint without ratings gives the mean of the signals that it
predicts, and its card says so: that is overlap with the reference, and no more.

What is not the paper's:

- copies are made without a translator and a masked language model: see
  `_synthetic_pairs`, or give a model that fills gaps as `fill`;
- signals are BLEU, the F scores of ROUGE-1, 2 and L and, with `bertscore`, the F1 of
  BERTScore: there is neither translation likelihood nor entailment, and no flag of how
  a copy was made;
- all signals weigh the same, where the paper searches for weights;
- the head has a hidden layer, where the paper's is linear, and for small encoders it
  reads the mean of each text and how they differ (`pooling`): they have never learned
  to compare two texts at their first token.

Published checkpoints will do, too, where they are in the format of Hugging Face with
one label (`BertForSequenceClassification`).

Higher is better. Ours are about [0, 1] and not cut off there; what others give has the
range of the ratings that they learned. Compare numbers of one signature only. With
several references, the best score or the mean of all (eq. 1 of ARGENT). Where a
reference does not begin with the prefix, the text is compared without it. Longer pairs
are cut, and a note says so. NaN, with a reason, without a reference, for an empty
text, and for each text that the checkpoint was trained on; a note names these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    Example,
    MetricError,
    OptionError,
    Output,
    Progress,
    Scores,
    option,
)
from scoring.metrics._learning import hygiene
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    MODEL_HELP,
    Training,
    TrainingData,
    TrainingProgress,
)
from scoring.metrics._references import several

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Judge

KEY = "bleurt"
NO_MODEL = "model: choose a checkpoint of bleurt; train one under Metrics, Training"
NAMED = 5  # texts that a note names


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    model: str = option(
        "",
        "a training that has ended, or a published BLEURT model with one label",
        typed=MODEL_HELP,
        path="model",
        label="Trained model",
        takes=("trained",),
    )
    aggregate: str = option(
        "max",
        several.AGGREGATE_HELP,
        several.AGGREGATES,
        label="Several references",
        titles=("best score", "mean of the scores"),
    )
    dtype: str = option(
        "float32",
        models.DTYPE_HELP,
        models.DTYPES,
        label="Arithmetic",
        titles=("32-bit floats", "bfloat16"),
    )


@dataclasses.dataclass(frozen=True)
class BleurtTraining(Training):
    """How long each stage is, and what the first one learns."""

    pooling: str = option(
        "auto",
        "what the head reads: the first token (cls, BERT), the last (causal models),"
        " the mean of all, or the means of both texts and how they differ (pair);"
        " auto: cls or last for wide models, pair for those that ship",
        ("auto", "cls", "last", "mean", "pair"),
        label="What the head reads",
        titles=(
            "automatic",
            "first token",
            "last token",
            "mean of all tokens",
            "both texts and their difference",
        ),
    )
    epochs: float = option(
        3.0,
        "fine-tuning: how often each rated text is seen",
        label="Epochs of fine-tuning",
    )
    pretrain_epochs: float = option(
        1.0,
        "pre-training: how many copies are made of each text; 0: none",
        label="Epochs of pre-training",
    )
    fill: str = option(
        "",
        "pre-training: model that fills gaps, as bundled:infill-nano, which takes time;"
        " empty: words of other texts do",
        path="model",
        label="Model that fills gaps",
        takes=("infill",),
    )
    bertscore: str = option(
        "",
        "pre-training: encoder for BERTScore as another signal; empty: without",
        path="model",
        label="Encoder for BERTScore",
        takes=("encoder",),
    )

    RATE = 1e-5

    def check(self) -> None:
        """Raise OptionError where a number is out of range."""
        super().check()
        if not 0 <= self.pretrain_epochs <= 100:
            raise OptionError(
                f"pretrain_epochs={self.pretrain_epochs:g}: expected 0 to 100"
            )


class BLEURT(TrainedMetric):
    """Closeness to a reference, learned from human ratings."""

    title = "BLEURT"
    source = "Sellam et al. (2020)"
    link = "https://aclanthology.org/2020.acl-main.704"
    Options = Options
    TrainingOptions = BleurtTraining
    learns: ClassVar[frozenset[str]] = frozenset({"texts", "ratings"})
    needs = frozenset({"references", "training"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(KEY, "BLEURT", "predicted rating, about [0, 1]", True),)

    def check(self) -> None:
        if not self.options.model:
            raise OptionError(NO_MODEL)

    @classmethod
    def task(cls, data: TrainingData, options: BleurtTraining) -> Any:
        """Of fine-tuning where there are ratings, else of pre-training."""
        from scoring.metrics._learning import bleurt_task

        if data.rated:
            return bleurt_task.RatedTask(data, options)
        return bleurt_task.SyntheticTask(data, options)

    @classmethod
    def go_on(
        cls,
        data: TrainingData,
        options: Any,
        folder: Path,
        progress: TrainingProgress,
        *,
        seconds: float | None,
        device: str,
        about: dict[str, object],
    ) -> bool:
        """Both stages, one after the other."""
        from scoring.metrics._learning.bleurt_task import Stages

        stages = Stages(data, options, folder, about)
        return stages.run(progress, seconds=seconds, device=device)

    def load(self, device: str = "cpu") -> BleurtScorer:
        """Load a checkpoint.

        Raises:
            OptionError: If none was chosen.
            MetricError: If it is not there, or predicts something else.
        """
        from scoring.metrics._learning.heads import Judge

        self.check()
        options = self.options
        folder = models.find(options.model)
        judge = Judge(folder, device=models.device(device), dtype=options.dtype)
        made_by = judge.facts.get("metric", KEY)
        n = judge.facts["outputs"]
        if made_by != KEY or (n != 1 and not judge.facts.get("signals")):
            raise MetricError(
                f"{folder.name} is a checkpoint of {made_by} with {n} outputs: expected"
                " one of bleurt, or a published one of one label"
            )
        signature = self.signature(model=models.content_hash(folder))
        return BleurtScorer(signature, judge, options.aggregate)


class BleurtScorer:
    """A loaded checkpoint."""

    def __init__(self, signature: str, judge: Judge, aggregate: str) -> None:
        self.signature = signature
        self._judge, self._aggregate = judge, aggregate

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        known = [self._judge.knows(example.text) for example in examples]
        new = [k for k, is_known in enumerate(known) if not is_known]
        if progress and len(new) < len(known):
            progress(len(known) - len(new))
        long: set[str] = set()
        found = several.over(
            [examples[k] for k in new],
            lambda ours, theirs: {KEY: self._scores(ours, theirs, long)},
            keys=(KEY,),
            aggregate=self._aggregate,
            progress=progress,
        )
        values = np.full(len(examples), np.nan)
        values[new] = found.values[KEY]
        reasons: list[str | None] = [hygiene.LEFT_OUT] * len(examples)
        for k, reason in zip(new, found.reasons[KEY], strict=True):
            reasons[k] = reason
        learned = [
            one.text for one, knows in zip(examples, known, strict=True) if knows
        ]
        return Scores({KEY: values}, {KEY: reasons}, notes=self._notes(learned, long))

    def _scores(
        self, texts: list[str], references: list[str], long: set[str]
    ) -> np.ndarray:
        """One number of each pair, (m,); texts of pairs that are cut go to `long`."""
        pairs = list(zip(references, texts, strict=True))
        lengths = self._judge.tokens.lengths(pairs)
        most = self._judge.tokens.max_tokens
        long.update(text for text, n in zip(texts, lengths, strict=True) if n > most)
        return self._judge(pairs).mean(axis=1)

    def _notes(self, learned: Sequence[str], long: set[str]) -> tuple[str, ...]:
        notes = []
        if learned:
            named = "; ".join(f"“{one.strip()[:60]}”" for one in learned[:NAMED])
            more = f" and {len(learned) - NAMED:,} more" * (len(learned) > NAMED)
            notes.append(
                f"{len(learned):,} of the texts were learned from, or share a passage"
                f" with what was, and have no score: {named}{more}"
            )
        if long:
            most = self._judge.tokens.max_tokens
            notes.append(
                f"Some texts are longer than {most} tokens with their reference: only"
                " the beginning of both was read."
            )
        return tuple(notes)
