"""BLEURT: how good a text is compared with a reference, learned from human ratings.

Sellam et al. (2020). An encoder reads both, the reference first, as in the paper, and
a head predicts a number:

    score(Y, R) = W tanh(V h(R, Y) + b) + c

- **Pre-training** on passages of a corpus and worse copies of them, made here: the
  encoder predicts several signals at once, such as BLEU and ROUGE; the loss is the mean
  of their squared errors.
- **Fine-tuning** on ratings of another study, scaled to 0 to 1, with squared error as
  the loss. The head starts from the mean of the signals. All texts of one prompt are
  either learned from or held out.

Where there are no references, another text can take their place (`pair`): the prefix,
or the label and the prefix, as "positive: The lake". So BLEURT is one of the metrics
without references that Ke et al. (2022, section 4.3) compare CTRLEval with, who do not
say what their BLEURT reads beside the text.

Fine-tuning can also learn the ratings of the very study that is scored: it is then
**cross-fitted**. The prompts are divided into folds, by prefix and source, and for each
fold a model is trained on the ratings of all others. Each text is scored by the model
of its fold, which has seen no text of its prompt, nor one that shares 13 words in a row
with a text of the fold. The models of two folds may differ in their mean score.

You can leave out either: pre-training with `pretrain_epochs=0`, fine-tuning by giving
no ratings. A checkpoint without ratings returns the mean of the signals that it
predicts, and its model card says so: that measures overlap with the reference and no
more.

Differences from the paper:

- copies are made without a translation model or masked language model (see
  `_synthetic_pairs`), unless you set `fill` to a model that fills gaps;
- signals are BLEU, the F scores of ROUGE-1, 2 and L and, with `bertscore`, the F1 of
  BERTScore: translation likelihood, entailment and the flag that says how a copy was
  made are missing;
- all signals have the same weight, where the paper searches for weights;
- the head has a hidden layer, where the paper's is linear. For small encoders it reads
  the mean vector of each text and their difference (`pooling`), because these encoders
  never learned to compare two texts in their first token.

You can also use published checkpoints in the Hugging Face format with one label
(`BertForSequenceClassification`).

Higher is better. Scores of checkpoints trained here are about [0, 1] and not clipped;
published checkpoints have the range of the ratings they learned. Compare only scores
with the same signature. With several references, the best score or the mean of all is
used (eq. 1 of ARGENT). A prefix in the place of a reference is compared with the whole
text. Where a reference does not begin with the prefix, the text is compared without its
prefix. Pairs longer than the model's limit are cut, and a note says so. NaN, with a
reason, where there is no reference or what stands in its place, for an empty text, and
for each text that the checkpoint was trained on; a note names these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
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
    Scorer,
    Scores,
    option,
)
from scoring.metrics._learning import hygiene, pairing
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    MODEL_HELP,
    Training,
    TrainingData,
    TrainingProgress,
)
from scoring.metrics._references import kinds, several

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Judge

KEY = "bleurt"
NO_MODEL = (
    "model: choose a finished BLEURT training; to train one, go to Metrics, Training"
)
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
    pair: str = option(
        "auto",
        "what the model reads before the text; automatic: what it read when it was"
        " trained, a reference for published models",
        ("auto", *pairing.PAIRS),
        label="Compared with",
        titles=("automatic", *pairing.TITLES),
    )
    aggregate: str = several.aggregate_option()
    reference_kind: str = kinds.kind_option()
    dtype: str = models.dtype_option()


@dataclasses.dataclass(frozen=True)
class BleurtTraining(Training):
    """How long each stage lasts, and what the first one learns."""

    pooling: str = option(
        "auto",
        "what the head reads: the first token (cls, for BERT), the last one (for causal"
        " models), the mean of all tokens, or the mean of each text and their"
        " difference (pair); automatic: cls or last for wide models, pair for the small"
        " bundled ones",
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
    pair: str = option(
        pairing.REFERENCE,
        "fine-tuning: what the model reads before the text; choose the prefix, or label"
        " and prefix, for texts that have no reference",
        pairing.PAIRS,
        label="Texts are compared with",
        titles=pairing.TITLES,
    )
    folds: int = option(
        5,
        "fine-tuning on ratings of this study: how many models are trained, each"
        " without the prompts that it will score",
        label="Folds",
    )
    epochs: float = option(
        3.0,
        "fine-tuning: how many times each rated text is used",
        label="Epochs of fine-tuning",
    )
    pretrain_epochs: float = option(
        1.0,
        "pre-training: how many copies are made of each text; 0: none",
        label="Epochs of pre-training",
    )
    fill: str = option(
        "",
        "pre-training: a model that fills gaps with new words, such as"
        " bundled:infill-nano, which is slow; empty: fill gaps with words of other"
        " texts",
        path="model",
        label="Model that fills gaps",
        takes=("infill",),
    )
    bertscore: str = option(
        "",
        "pre-training: encoder for BERTScore as an additional signal; empty: no such"
        " signal",
        path="model",
        label="Encoder for BERTScore",
        takes=("encoder",),
    )

    RATE = 1e-5

    def check(self) -> None:
        """Raise OptionError if a number is out of range."""
        super().check()
        if not 0 <= self.pretrain_epochs <= 100:
            raise OptionError(
                f"pretrain_epochs={self.pretrain_epochs:g}: expected 0 to 100"
            )
        if not 2 <= self.folds <= 20:
            raise OptionError(f"folds={self.folds}: expected 2 to 20")


class BLEURT(TrainedMetric):
    """Closeness to a reference, learned from human ratings."""

    title = "BLEURT"
    source = "Sellam et al. (2020)"
    link = "https://aclanthology.org/2020.acl-main.704"
    Options = Options
    TrainingOptions = BleurtTraining
    learns: ClassVar[frozenset[str]] = frozenset({"texts", "ratings"})
    cross_fits = True
    needs = frozenset({"training"})
    needs_one_of = frozenset({"references", "prefix", "label"})
    uses = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(KEY, "BLEURT", "predicted rating, about [0, 1]", True),)

    def check(self) -> None:
        if not self.options.model:
            raise OptionError(NO_MODEL)

    @classmethod
    def task(cls, data: TrainingData, options: BleurtTraining) -> Any:
        """The task of fine-tuning if there are ratings, else that of pre-training."""
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

    def load(self, device: str = "cpu") -> Scorer:
        """Load a checkpoint.

        Raises:
            OptionError: If none was chosen.
            MetricError: If it does not exist, or predicts something else.
        """
        from scoring.metrics._learning import cross_fitting
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
                " one of bleurt, or a published one with one label"
            )
        pair = options.pair
        if pair == "auto":
            pair = judge.facts.get("pair", pairing.REFERENCE)
        signature = self.signature(model=models.content_hash(folder), pair=pair)
        *others, _ = cross_fitting.parts_of(folder, judge.facts)
        judges = [
            Judge(one, device=models.device(device), dtype=options.dtype)
            for one in others
        ]
        scorers = [
            BleurtScorer(signature, one, options.aggregate, pair)
            for one in (*judges, judge)
        ]
        found: Scorer = scorers[0]
        if others:
            found = CrossFitted(signature, scorers, judge.facts["fold_of"])
        return kinds.choosing(found, options.reference_kind)


class BleurtScorer:
    """A loaded checkpoint."""

    def __init__(self, signature: str, judge: Judge, aggregate: str, pair: str) -> None:
        self.signature = signature
        self._judge, self._aggregate, self._pair = judge, aggregate, pair

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        known = [self._judge.knows(example.text) for example in examples]
        asked = [self._asked(one, k) for one, k in zip(examples, known, strict=True)]
        new = [k for k, one in enumerate(asked) if isinstance(one, Example)]
        if progress and len(new) < len(known):
            progress(len(known) - len(new))
        long: set[str] = set()
        found = several.over(
            [one for one in asked if isinstance(one, Example)],
            lambda ours, theirs: {KEY: self._scores(ours, theirs, long)},
            keys=(KEY,),
            aggregate=self._aggregate,
            progress=progress,
        )
        values = np.full(len(examples), np.nan)
        values[new] = found.values[KEY]
        reasons = [one if isinstance(one, str) else None for one in asked]
        for k, reason in zip(new, found.reasons[KEY], strict=True):
            reasons[k] = reason
        learned = [
            one.text for one, knows in zip(examples, known, strict=True) if knows
        ]
        return Scores({KEY: values}, {KEY: reasons}, notes=self._notes(learned, long))

    def _asked(self, example: Example, is_known: bool) -> Example | str:
        """The text beside what it is compared with, or why it has no score."""
        if is_known:
            return hygiene.LEFT_OUT
        if self._pair == pairing.REFERENCE:
            # No number that a model gives to nothing means anything.
            found = several.compared(example)
            if isinstance(found, str) or all(text for text, _ in found):
                return example
            empty = several.is_empty(example)
            return "the text is empty" if empty else "nothing follows the prefix"
        return pairing.against(self._pair, example)

    def _scores(
        self, texts: list[str], references: list[str], long: set[str]
    ) -> np.ndarray:
        """One number for each pair, (m,). Adds the texts of pairs it cuts to `long`."""
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
                f"{len(learned):,} of the texts have no score, because the checkpoint"
                f" was trained on them or on a passage of them: {named}{more}"
            )
        if long:
            most = self._judge.tokens.max_tokens
            notes.append(
                f"Some texts are longer than {most} tokens together with their"
                " reference: only the beginning of both was read."
            )
        return tuple(notes)


class CrossFitted:
    """Loaded checkpoints of all folds. Each text is scored by that of its prompt."""

    def __init__(
        self, signature: str, folds: Sequence[Scorer], fold_of: Mapping[str, int]
    ) -> None:
        self.signature = signature
        self._folds, self._fold_of = folds, fold_of

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts, fold by fold."""
        groups: dict[int, list[int]] = {}
        for k, example in enumerate(examples):
            groups.setdefault(self._fold(example), []).append(k)
        values = np.full(len(examples), np.nan)
        reasons: list[str | None] = [None] * len(examples)
        notes: dict[str, None] = {}
        for fold, places in sorted(groups.items()):
            found = self._folds[fold]([examples[k] for k in places], progress)
            values[places] = found.values[KEY]
            for k, reason in zip(places, found.reasons[KEY], strict=True):
                reasons[k] = reason
            notes.update(dict.fromkeys(found.notes))
        return Scores({KEY: values}, {KEY: reasons}, notes=tuple(notes))

    def _fold(self, example: Example) -> int:
        """No fold has seen a prompt that is new: then the last one scores it."""
        known = pairing.document(prefix=example.prefix, source=example.source)
        return self._fold_of.get(known, len(self._folds) - 1)
