"""ARGENT: the quality of a text, learned from real texts that were damaged.

"Rethinking Text Generation Evaluation", section 3.1. An encoder learns by regression
how much of a text is left as people wrote it:

    quality(Y) = W tanh(V h(Y) + b) + c,    loss = (quality(Y~) - S_quality(Y~))²

where h(Y) is the encoder's vector for a text and Y~ is a real text, damaged again each
time it is used (`_corruptions.corrupt`): its words are inflected differently
(`inflect`), shuffled within short windows (`shuffle`), or both (`shufflection`). It
needs neither references nor human ratings.

Labels are

- `count`: S_quality = 1 - sum_k sum_i [x_i^k != x_i^(k-1)] / (K N) (eq. 2 and 3), in
  [0, 1]: the share of tokens that were left unchanged, averaged over the K methods; or
- `metric`: how similar the damaged text is to the original according to a metric with
  references (BLEURT in the paper). The metric is rescaled linearly so that a text
  compared with itself gets 1 and a text compared with another text of the corpus gets
  0, then clipped to [0, 1]. With `raw`, the label is the metric's number as it is, as
  in the paper, or its negative where lower is better.

Rates of damage are drawn for each text and method from U(0, p), so that some texts are
nearly intact. The encoder reads at most `max_tokens` tokens, and a text has at least as
many tokens as words: so words after the first `max_tokens` are neither damaged nor
counted. That is 200 unless you change it; the paper reads whole reports, up to BERT's
limit of 512. Tags of words come from TextBlob, where the paper uses spaCy.

Presets hold the settings that worked best in the paper: `webtext` (shuffling, count, p
0.8), `academic` (inflection, BLEURT, p 0.6) and `clinical` (shuffling, count, p 0.4).
An option set to anything but "auto" or 0 overrides the preset. Without either, the
training uses shuffling, count and p 0.8.

The paper starts from BERT-base (cased), with batches of 32 texts, a learning rate of
1e-5 and three epochs. Of the bundled models, start from `bundled:causal-small`: it
learned word order by predicting the next word. `bundled:encoder-small` is almost blind
to word order and needs several times as many texts.

The paper chose its presets and the rows of its tables by their results on the test
texts themselves, so those numbers are optimistic. `manage.py argent_grid` chooses on
other texts.

Scores: higher is better. They lie in the range of the labels, [0, 1] unless raw, or
slightly outside it: scores are not clipped, because clipping would create ties between
good texts. Texts longer than the model's limit are cut, and a note says so. NaN, with a
reason, for an empty text and for one that the checkpoint was trained on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    Example,
    Metric,
    MetricError,
    OptionError,
    Output,
    Progress,
    Scores,
    option,
    output_key,
)
from scoring.metrics._learning import corruptions, hygiene
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    BASE_HELP,
    MODEL_HELP,
    Training,
    TrainingData,
)
from scoring.option_fields import option_fields

KEY = "quality"
BY_METRIC = ("metric", "raw")  # labels that a metric gives
NO_MODEL = (
    "model: choose a finished ARGENT training; to train one, go to Metrics, Training"
)
EMPTY = "the text is empty"


class Corruption(NamedTuple):
    """How texts are damaged, and how they are labelled."""

    method: str = "shuffle"
    labels: str = "count"
    p_shuffle: float = 0.8
    p_inflect: float = 0.8


# The best of the paper's tables 2 to 4. The paper states p for one method only.
PRESETS = {
    "webtext": Corruption("shuffle", "count", p_shuffle=0.8),
    "academic": Corruption("inflect", "metric", p_inflect=0.6),
    "clinical": Corruption("shuffle", "count", p_shuffle=0.4),
}


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    model: str = option(
        "",
        "a training that has ended",
        path="model",
        label="Trained model",
        takes=("trained",),
        typed=MODEL_HELP,
    )
    dtype: str = models.dtype_option()


@dataclasses.dataclass(frozen=True)
class ArgentTraining(Training):
    """How texts are damaged, on top of the options that every training has."""

    base: str = option(
        "bundled:causal-small",
        BASE_HELP,
        path="model",
        label="Model to start from",
        takes=("encoder", "causal"),
    )
    preset: str = option(
        "",
        "the settings that worked best in the paper for this kind of text; options that"
        " you set below override them",
        ("", *PRESETS),
        label="Preset of the paper",
        titles=("none", "web texts", "academic texts", "clinical texts"),
    )
    method: str = option(
        "auto",
        "shuffle words locally, inflect them, or both; automatic: as in the preset, or"
        " shuffle",
        ("auto", *corruptions.METHODS),
        label="How texts are damaged",
    )
    p_shuffle: float = option(
        0.0,
        "each text is shuffled at a rate drawn from 0 to this; 0: as in the preset, or"
        " 0.8",
        label="Highest rate of shuffling",
    )
    p_inflect: float = option(
        0.0,
        "each text is inflected at a rate drawn from 0 to this; 0: as in the preset, or"
        " 0.8",
        label="Highest rate of inflection",
    )
    labels: str = option(
        "auto",
        "quality is the share of words that were not changed (count), or the similarity"
        " to the original according to a metric, brought to 0 to 1 (metric) or as the"
        " metric gives it (raw); automatic: as in the preset, or count",
        ("auto", "count", *BY_METRIC),
        label="How quality is measured",
        titles=(
            "automatic",
            "share of unchanged words",
            "similarity by a metric, from 0 to 1",
            "similarity by a metric, as it is",
        ),
    )
    reference_metric: str = option(
        "bleurt",
        "for similarity by a metric: any metric that compares a text with references",
        label="Metric for the similarity",
    )
    reference_output: str = option(
        "",
        "for similarity by a metric: which of its outputs; empty: its last one",
        label="Output of that metric",
    )
    reference_model: str = option(
        "",
        "for similarity by a metric: the model of that metric, if it has one",
        path="model",
        label="Model of that metric",
        takes=("trained", "encoder"),
    )
    shortest: int = option(
        corruptions.SHORTEST,
        "fewest words in a shuffled window",
        label="Shortest shuffled window",
    )
    longest: int = option(
        corruptions.LONGEST,
        "most words in a shuffled window",
        label="Longest shuffled window",
    )

    RATE = 1e-5

    def check(self) -> None:
        """Raise OptionError for values that are not allowed."""
        super().check()
        for name in ("p_shuffle", "p_inflect"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise OptionError(f"{name}={value:g}: expected 0 to 1")
        if not 2 <= self.shortest <= self.longest <= 100:
            raise OptionError(
                f"shortest={self.shortest}, longest={self.longest}: expected"
                " 2 <= shortest <= longest <= 100"
            )
        if self.corruption.labels in BY_METRIC:
            self.reference()

    @property
    def corruption(self) -> Corruption:
        """The settings in use: what was set, else the preset's, else the default.

        >>> ArgentTraining(preset="clinical", p_shuffle=0.2).corruption
        Corruption(method='shuffle', labels='count', p_shuffle=0.2, p_inflect=0.8)
        """
        usual = PRESETS.get(self.preset, Corruption())
        given = {name: getattr(self, name) for name in Corruption._fields}
        return usual._replace(
            **{name: value for name, value in given.items() if value not in ("auto", 0)}
        )

    def reference(self) -> tuple[Metric, Output]:
        """The metric that labels the texts, and which of its outputs it uses.

        Raises:
            OptionError: If there is no such metric or output. Loads nothing.
        """
        metric = _reference_metric(self.reference_metric, self.reference_model)
        outputs = {one.key: one for one in metric.outputs}
        key = output_key(self.reference_output) or list(outputs)[-1]
        if key not in outputs or outputs[key].higher_is_better is None:
            raise OptionError(
                f"reference_output={key}: expected one of {', '.join(outputs)}, for"
                " which higher or lower is better"
            )
        return metric, outputs[key]


class Argent(TrainedMetric):
    """Text quality, learned from texts that were damaged."""

    title = "ARGENT"
    source = "Rethinking Text Generation Evaluation, section 3.1"
    Options = Options
    TrainingOptions = ArgentTraining
    needs = frozenset({"training"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(KEY, "Quality", "quality, about [0, 1]", True),)

    def check(self) -> None:
        if not self.options.model:
            raise OptionError(NO_MODEL)

    @classmethod
    def training_signature(cls, data: TrainingData, options: ArgentTraining) -> str:
        """Also the version of the metric that labels the texts, if there is one."""
        found = super().training_signature(data, options)
        if options.corruption.labels not in BY_METRIC:
            return found
        metric, output = options.reference()
        # The spelling that signatures have always had: what was learned is the same.
        key = output.key.replace("_", "-")
        return f"{found}|labels:{metric.name()}-v{metric.version}-{key}"

    @classmethod
    def task(cls, data: TrainingData, options: ArgentTraining) -> Any:
        from scoring.metrics._learning.argent_task import ArgentTask

        return ArgentTask(data, options)

    def load(self, device: str = "cpu") -> ArgentScorer:
        """Load a checkpoint.

        Raises:
            OptionError: If none was chosen.
            MetricError: If it does not exist, or belongs to another metric.
        """
        from scoring.metrics._learning.heads import Judge

        self.check()
        folder = models.find(self.options.model)
        chosen = models.device(device)
        judge = Judge(folder, device=chosen, dtype=self.options.dtype)
        made_by = judge.facts.get("metric", self.name())
        if made_by != self.name() or judge.facts["outputs"] != 1:
            raise MetricError(
                f"model={self.options.model}: expected a checkpoint of {self.name()},"
                f" but this is one of {made_by} with {judge.facts['outputs']} outputs"
            )
        return ArgentScorer(self.signature(model=models.content_hash(folder)), judge)


class ArgentScorer:
    """A loaded checkpoint."""

    def __init__(self, signature: str, judge: Any) -> None:
        self.signature, self._judge = signature, judge

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        texts = [example.text for example in examples]
        reasons = [self._reason(text) for text in texts]
        kept = [k for k, reason in enumerate(reasons) if reason is None]
        values = np.full(len(texts), np.nan)
        read = [texts[k] for k in kept]
        if progress and len(kept) < len(texts):
            progress(len(texts) - len(kept))
        if read:
            values[kept] = self._judge(read, progress)[:, 0]
        return Scores({KEY: values}, {KEY: reasons}, notes=self._judge.notes(read))

    def _reason(self, text: str) -> str | None:
        if not text.strip():
            return EMPTY
        return hygiene.LEFT_OUT if self._judge.knows(text) else None


def _reference_metric(name: str, model: str) -> Metric:
    from scoring.metrics import UnknownMetric, get

    try:
        kind = get(name)
    except UnknownMetric as error:
        raise OptionError(f"reference_metric: {error}") from error
    if not issubclass(kind, Metric) or "references" not in kind.needs | kind.uses:
        raise OptionError(
            f"reference_metric={name}: expected a metric that compares a text with"
            " references, such as bleurt, bertscore, chrf or rouge"
        )
    has_model = any(one.name == "model" for one in option_fields(kind.Options))
    if has_model != bool(model):
        raise OptionError(
            f"reference_model: choose the model of {name}, or set reference_metric to"
            " one without a model, such as chrf or rouge, which are always here"
            if has_model
            else f"reference_model={model}: {name} has no model: leave this empty"
        )
    metric = kind(model=model) if model else kind()
    metric.check()
    return metric
