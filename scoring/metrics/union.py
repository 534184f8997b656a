"""UNION: a classifier trained in EvalApp to detect the errors that generators make.

Guan & Huang (2020), section 3. With z the output (logits) of an encoder's
classification head for a text,

    score = exp(z_human) / (exp(z_human) + exp(z_damaged)),

the probability that a person wrote the text, in [0, 1], higher is better. Prefix and
references are not used. A checkpoint that was trained with `reads=source` reads the
source of a text before the text, in training as in scoring; errors are made in the text
alone, and only the text is rebuilt.

It learns from human texts and from a copy of each with one to four errors: repetition,
replacement, reordering or negation, applied one after the other (`_union_negatives`).
How often each is drawn is as in the authors' code (thu-coai/UNION): one to four errors
for .5, .2, .2 and .1 of the texts; repetition .1, replacement .3, reordering .4,
negation .2. `errors=openmeva` takes the shares of OpenMEVA's release of UNION.
Its loss is

    L = L_told + 0.1 L_rebuilt,
    L_told    = cross-entropy of human and damaged,
    L_rebuilt = - mean over places i of log P(token i of the original | text),

where P comes from a linear map of the encoder's state at place i onto the encoder's
input vectors. This map is not saved with the checkpoint. If a text and its original
differ in length, the longer one is cut. Only `places` places of each text are rebuilt,
evenly spaced from a random first one, which estimates the same mean in less time; 0
rebuilds all.

Both texts of a pair are cut to whole sentences within the model's limit, so that no
error is out of sight. The model card says how well length alone would tell them apart.
Its figures come from held-out texts with the same kinds of errors: they say little
about other errors or about generated text.

Texts longer than the checkpoint's limit are cut, and a note says so. NaN, with a
reason, for an empty text, for a text without the source that the checkpoint reads, and
for a text that the checkpoint was trained on or that shares a passage with one. Raises
MetricError at loading if the checkpoint was trained for something else.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

from scoring.metrics._engine import models
from scoring.metrics._engine.base import OptionError, Output, option
from scoring.metrics._learning import classified
from scoring.metrics._learning.classified import Classified
from scoring.metrics._learning.sources import reads_option
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    BASE_HELP,
    MODEL_HELP,
    Training,
    TrainingData,
)
from scoring.metrics._learning.union_negatives import OPENMEVA, TYPES, NegativeOptions

KEY = "union"
SHARES = {"paper": NegativeOptions(), "openmeva": OPENMEVA}
STALE = (
    "the checkpoint was trained by an earlier version, whose errors were drawn as in"
    " OpenMEVA unless chosen otherwise, with hardly any repetition: train it again to"
    " learn from the paper's"
)


@dataclasses.dataclass(frozen=True)
class UNIONTraining(Training):
    """What is learned, and from which errors."""

    base: str = option(
        "bundled:causal-small",
        f"{BASE_HELP}; where word order matters, choose causal-small",
        path="model",
        label="Model to start from",
        takes=("encoder", "causal"),
    )
    reads: str = reads_option()
    batch: int = option(10, "examples per training step", label="Examples per step")
    reconstruction: float = option(
        0.1,
        "weight of the loss for rebuilding the original text",
        label="Weight of reconstruction",
    )
    places: int = option(
        32,
        "how many tokens of each text are rebuilt; 0: all",
        label="Tokens to reconstruct per text",
    )
    errors: str = option(
        "paper",
        "whose shares of errors: the authors' own, or those of OpenMEVA's release, with"
        " hardly any repetition",
        tuple(SHARES),
        label="Shares of errors",
        titles=("as in the authors' code", "as in OpenMEVA"),
    )
    numbers: str = option(
        "",
        "shares of texts with one, two, three and four errors, if other than those:"
        " 0.5, 0.2, 0.2, 0.1",
        label="Shares of texts with 1, 2, 3 and 4 errors",
    )
    types: str = option(
        "",
        f"how likely each error is ({', '.join(TYPES)}), if otherwise than in those:"
        " 0.1, 0.3, 0.4, 0.2",
        label="Shares of the kinds of error",
    )
    whole_repeated: float = option(
        0.7,
        "share of repetitions that repeat a whole sentence",
        label="Repetitions of whole sentences",
    )
    whole_replaced: float = option(
        0.5,
        "share of replacements that replace a whole sentence",
        label="Replacements of whole sentences",
    )
    most_words: float = option(
        0.15,
        "most content words to replace, where words are replaced",
        label="Most content words to replace",
    )

    RATE: ClassVar[float] = 5e-5

    def check(self) -> None:
        super().check()
        for name, high in (
            ("reconstruction", 100),
            ("places", 4096),
            ("whole_repeated", 1),
            ("whole_replaced", 1),
            ("most_words", 1),
        ):
            value = getattr(self, name)
            if not 0 <= value <= high:
                raise OptionError(f"{name}={value:g}: expected 0 to {high}")
        self.negatives()

    def negatives(self) -> NegativeOptions:
        """The chances of each error.

        Raises:
            OptionError: If shares do not sum to 1.
        """
        drawn = SHARES[self.errors]
        return NegativeOptions(
            shares("numbers", self.numbers) if self.numbers else drawn.numbers,
            shares("types", self.types) if self.types else drawn.weights,
            self.whole_repeated,
            self.whole_replaced,
            self.most_words,
        )


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "",
        "a training that has ended",
        path="model",
        label="Trained model",
        takes=("trained",),
        typed=MODEL_HELP,
    )
    dtype: str = models.dtype_option()


class UNION(TrainedMetric):
    """How likely a person wrote the text rather than a generator."""

    title = "UNION"
    source = "Guan & Huang (2020), section 3"
    link = "https://aclanthology.org/2020.emnlp-main.736"
    version = 2  # 2: the shares of errors are the paper's
    Options = Options
    TrainingOptions = UNIONTraining
    needs = frozenset({"training"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(KEY, "UNION", "probability of a person's text, [0, 1]", True),)

    def check(self) -> None:
        classified.check(self.options.model)

    def load(self, device: str = "cpu") -> Classified:
        """Load the checkpoint.

        Raises:
            MetricError: If it does not exist, or was trained for something else.
        """
        self.check()
        options = self.options
        judge, content = classified.load(options.model, device, options.dtype)
        name = classified.name_of(options.model)
        classified.check_made_for(judge, name, {"metric": "union"})
        human = classified.human(judge)
        signature = self.signature(model=content)
        read = classified.text_of(judge)
        notes = () if "errors" in judge.facts else (STALE,)
        return Classified(
            signature, judge, KEY, read, human, tells_unread=True, notes=notes
        )

    @classmethod
    def task(cls, data: TrainingData, options: Any) -> Any:
        from scoring.metrics._learning.union_task import UnionTask

        return UnionTask(data, options)


def shares(name: str, text: str) -> tuple[float, ...]:
    """Four shares that sum to 1.

    Raises:
        OptionError: If they do not.
    """
    try:
        found = tuple(float(one) for one in text.split(","))
    except ValueError:
        found = ()
    if len(found) != len(TYPES) or not all(0 <= share <= 1 for share in found):
        found = ()
    if not math.isclose(sum(found), 1, abs_tol=1e-6):
        raise OptionError(
            f"{name}={text[:100]}: expected {len(TYPES)} shares from 0 to 1, separated"
            " by commas, that sum to 1"
        )
    # Rounded thirds do not sum to exactly 1, which numpy would refuse.
    return tuple(share / sum(found) for share in found)
