"""DisScore: the probability that a discriminator trained in EvalApp gives a text.

Ke et al. (2022), section 4.3; Kannan & Vinyals (2017) for human against machine text,
Chan et al. (2021) for attributes. With z the output (logits) of an encoder's
classification head for a text,

    score = exp(z_c) / sum_c' exp(z_c'),

the probability of a class c, in [0, 1], higher is better. A checkpoint is trained for
one aspect, which is its only output:

- coherence: c is "human", against as many damaged texts. The paper does not say how
  they were damaged; here each text is damaged by one of `perturbations`, drawn again in
  each epoch;
- consistency: the same for a prefix and its continuation. In a damaged pair the
  continuation comes from a random other text, so length gives nothing away;
- attribute: c is the text's own label, one of the labels in a column of the corpus. You
  can also use published classifiers in the Hugging Face format; labels are compared
  ignoring case, and can be renamed with the option `labels`.

The figures on a checkpoint's model card come from held-out texts with the kinds of
damage it was trained on: they say little about other damage or about generated text.
With a test corpus, as the paper's 94.15 and 91.54 % are on official test sets, the card
has the same figures of that: its texts are never learned from, nor are texts that share
a passage with them.

Texts longer than the checkpoint's limit are cut, and a note says so. NaN, with a
reason, for an empty text, a text that the checkpoint was trained on or that shares a
passage with one, a text without a prefix or without a continuation (consistency), or
with a label that the checkpoint does not know (attribute). Raises MetricError at
loading if the checkpoint was trained for another aspect.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

from annotation.perturbations import PERTURBATIONS
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Example, OptionError, Output, option
from scoring.metrics._engine.labels import folded, place_of
from scoring.metrics._learning import classified
from scoring.metrics._learning.classified import Classified, Undefined
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    BASE_HELP,
    MODEL_HELP,
    Training,
    TrainingData,
)

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Judge

ASPECTS = ("coherence", "consistency", "attribute")
ASPECT_HELP = "what the discriminator tells apart: human from damaged texts, or labels"
USABLE = tuple(
    name for name, found in PERTURBATIONS.items() if not found.from_elsewhere
)


@dataclasses.dataclass(frozen=True)
class DisScoreTraining(Training):
    """What is learned, and from which examples."""

    base: str = option(
        "bundled:causal-small",
        f"{BASE_HELP}; where word order matters, choose causal-small",
        path="model",
        label="Model to start from",
        takes=("encoder", "causal"),
    )
    batch: int = option(
        8,
        "examples per training step; small models need many",
        label="Examples per step",
    )
    aspect: str = option(
        "coherence",
        ASPECT_HELP,
        ASPECTS,
        label="What is learned",
        titles=("coherence", "consistency", "attribute"),
    )
    perturbations: str = option(
        "shuffle, repeat, swap",
        f"for coherence: how texts are damaged, any of {', '.join(USABLE)}",
        label="How texts are damaged",
    )
    prefix: str = option(
        "sentence",
        "for consistency: how much of a text is used as its prefix: one sentence, a"
        " third of the sentences, or one to eight words",
        ("sentence", "third", "words"),
        label="How much of a text is used as prefix",
        titles=("one sentence", "a third of the sentences", "one to eight words"),
    )
    attribute: str = option(
        "",
        "for attribute: the column of the corpus with the labels to learn",
        label="Column with the labels",
    )

    def check(self) -> None:
        super().check()
        unknown = [name for name in self.chosen() if name not in USABLE]
        if unknown or not self.chosen():
            raise OptionError(
                f"perturbations={self.perturbations[:100]}: expected some of"
                f" {', '.join(USABLE)}" + (f", not {unknown[0]}" if unknown else "")
            )
        if self.aspect == "attribute" and not self.attribute:
            raise OptionError(
                "aspect=attribute needs the option attribute: set it to the column of"
                " the corpus that has the labels"
            )

    def chosen(self) -> tuple[str, ...]:
        """Names of perturbations, each once."""
        names = self.perturbations.replace(",", " ").split()
        return tuple(dict.fromkeys(names))


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
    aspect: str = option(
        "coherence",
        f"must match the training: {ASPECT_HELP}",
        ASPECTS,
        label="What is judged",
        titles=("coherence", "consistency", "attribute"),
    )
    labels: str = option(
        "",
        "for attribute: the model's names for your labels, if they differ:"
        " `positive:LABEL_1, negative:LABEL_0`",
        label="The model’s names for labels",
    )
    dtype: str = models.dtype_option()


class DisScore(TrainedMetric):
    """How likely a person wrote the text, or that the text has its label."""

    title = "DisScore"
    source = "Ke et al. (2022), section 4.3"
    link = "https://aclanthology.org/2022.acl-long.164"
    Options = Options
    TrainingOptions = DisScoreTraining
    learns: ClassVar[frozenset[str]] = frozenset({"texts", "labels"})
    takes_test = True
    needs = frozenset({"training"})
    uses = frozenset({"prefix", "label"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (OUTPUTS[self.options.aspect],)

    def check(self) -> None:
        classified.check(self.options.model)
        renamed(self.options.labels)

    def load(self, device: str = "cpu") -> Classified:
        """Load the checkpoint.

        Raises:
            MetricError: If it does not exist, or was trained for something else.
        """
        self.check()
        options = self.options
        judge, content = classified.load(options.model, device, options.dtype)
        aspect = options.aspect
        if aspect != "attribute" or judge.facts["kind"] != "foreign":
            name = classified.name_of(options.model)
            wanted = {"metric": "disscore", "aspect": aspect}
            classified.check_made_for(judge, name, wanted)
        classes = (
            Labels(judge, renamed(options.labels))
            if aspect == "attribute"
            else classified.human(judge)
        )
        return Classified(
            self.signature(model=content),
            judge,
            OUTPUTS[aspect].key,
            pair if aspect == "consistency" else whole,
            classes,
        )

    @classmethod
    def task(cls, data: TrainingData, options: Any) -> Any:
        """The task for each aspect."""
        from scoring.metrics._learning.disscore_tasks import TASKS

        return TASKS[options.aspect](data, options)


def _output(key: str, title: str, unit: str, measures: str = "") -> Output:
    unit = f"probability of {unit}, [0, 1]"
    return Output(key, f"DisScore, {title}", unit, True, measures or key)


OUTPUTS = {
    "coherence": _output("coherence", "coherence", "a person's text"),
    "consistency": _output("consistency", "consistency", "a person's text"),
    "attribute": _output(
        "attribute_relevance", "attribute relevance", "the label", "attribute-relevance"
    ),
}


def whole(example: Example) -> str:
    """The text, prefix included."""
    return example.text


def pair(example: Example) -> tuple[str, str]:
    """The prefix, and what follows it.

    Raises:
        Undefined: If either is missing.
    """
    text, prefix = example.text, example.prefix
    if not prefix.strip():
        raise Undefined("there is no prefix")
    if not text.startswith(prefix):
        raise Undefined("the text does not start with its prefix")
    rest = text[len(prefix) :].strip()
    if not rest:
        raise Undefined("nothing follows the prefix")
    return prefix.strip(), rest


class Labels:
    """Class numbers by the labels of a study."""

    def __init__(self, judge: Judge, names: dict[str, str]) -> None:
        self._names = names
        self._known = judge.facts["labels"]

    def __call__(self, example: Example) -> int:
        """The number of the example's label.

        Raises:
            Undefined: If the checkpoint has no such class.
        """
        label = example.label.strip()
        if not label:
            raise Undefined("there is no label")
        name = self._names.get(folded(label), label)
        number = place_of(name, self._known)
        if number is None:
            known = ", ".join(self._known)[:150]
            raise Undefined(
                f"the model does not know the label {name[:60]!r}; it knows: {known}"
            )
        return number


def renamed(labels: str) -> dict[str, str]:
    """The model's name for each label, by the label in lower case.

    Raises:
        OptionError: If the text is not a list of `label:name`.
    """
    found = {}
    for one in filter(None, map(str.strip, labels.split(","))):
        label, colon, name = map(str.strip, one.partition(":"))
        if not (label and colon and name):
            raise OptionError(
                f"labels={one[:100]}: expected `label:name in the model`, separated by"
                " commas"
            )
        found[folded(label)] = name
    return found
