"""BARTScore: how probable one text is, given another one.

Yuan, Neubig & Liu (2021), https://arxiv.org/abs/2106.11520. With m tokens in y,
counting the tokenizer's special tokens as the released code does,

    B(x -> y) = (1/m) sum_t log P(y_t | y_<t, x), in nats per token, (-inf, 0].

faithfulness = B(source -> text), precision = B(reference -> text), recall = B(text ->
reference), f = (precision + recall) / 2. With several references, each output is
computed for every reference, and the largest value or the mean is used. So the largest
F score comes from a single reference.

Without references, faithfulness is the only output. A text without a source is
predicted from its prefix. The predicted text is the full text, prefix included; with
`hypothesis=continuation` it is, in every output, only what follows the prefix, without
surrounding white space.

NaN, with a reason, where the needed source, prefix or reference is missing, where a
text is empty, and where a text is longer than the model's limit: the released code cuts
at 1024 tokens, EvalApp cuts nothing. If one reference is too long there is no score,
because the score without that reference would be a different one.

The model may also be a causal one behind an address, `endpoint:NAME/MODEL`, whose
server sends log-probabilities of texts. It reads x, a line break and y, and scores y,
with the server's tokens and no special ones, as GPTScore does without an instruction
(Fu et al. 2024). If a token holds both the line break and the beginning of y, there is
no score. It is another metric than with an encoder-decoder: never compare the two.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.endpoints import configuration, text_requests
from scoring.endpoints.text_requests import ScoredText
from scoring.metrics._engine import backbones, likelihood, models
from scoring.metrics._engine.backbones import Backbone
from scoring.metrics._engine.base import (
    Evaluator,
    Example,
    Metric,
    Output,
    Progress,
    Scorer,
    Scores,
    option,
)
from scoring.metrics._engine.batches import SLAB, Meter
from scoring.metrics._engine.likelihood import Pair, Seq2Seq
from scoring.metrics._engine.rows import padded
from scoring.metrics._references import kinds
from scoring.metrics.judge import option_checks
from scoring.metrics.judge.network_metric import OverNetwork

if TYPE_CHECKING:
    from scoring.metrics.judge.likelihood import Engine

NATS = "nats per token, (-inf, 0]"
KEYS = {
    "all": ("faithfulness", "precision", "recall"),
    "source": ("faithfulness",),
    "references": ("precision", "recall"),
}
TITLES = {
    "faithfulness": "Faithfulness (source to text)",
    "precision": "Precision (reference to text)",
    "recall": "Recall (text to reference)",
    "f": "F score (mean of precision and recall)",
}

# For one text: an array of scores, one for each pair of texts, or why there are none.
Found = np.ndarray | str


class Undefined(Exception):
    """This text has no such score; the message says why."""


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers, and which numbers there are."""

    model: str = option(
        "facebook/bart-large-cnn",
        "encoder-decoder model of a supported family",
        path="model",
        typed=models.INFILL_HELP,
        label="Encoder-decoder model",
        takes=("infill",),
        network=True,
    )
    directions: str = option(
        "all",
        "which outputs to compute: all, faithfulness to the source, or those that use"
        " references",
        tuple(KEYS),
        label="Outputs",
        titles=(
            "all",
            "faithfulness to the source",
            "precision, recall and F with references",
        ),
    )
    given: str = option(
        "auto",
        "what the text is predicted from for faithfulness; automatic: the source, or"
        " the prefix where there is no source",
        ("auto", "source", "prefix"),
        label="Faithfulness to",
        titles=("the source, or else the prefix", "the source", "the prefix"),
    )
    hypothesis: str = option(
        "text",
        "which part of the text is scored: all of it, or what follows the prefix",
        ("text", "continuation"),
        label="Part of the text to score",
        titles=("whole text", "what follows the prefix"),
    )
    references: str = option(
        "max",
        "with several references: use the largest score, or the mean",
        ("max", "mean"),
        label="Several references",
        titles=("best score", "mean of the scores"),
    )
    reference_kind: str = kinds.kind_option()
    dtype: str = models.dtype_option()


class BARTScore(Metric, OverNetwork):
    """How likely a model finds the text, given its source or references."""

    title = "BARTScore"
    source = "Yuan et al. (2021), eq. 2 with equal weights"
    link = "https://arxiv.org/abs/2106.11520"
    Options = Options
    parts_are = "references"
    needs_one_of = frozenset({"source", "prefix", "references"})

    @classmethod
    def suited(cls, has: frozenset[str]) -> dict[str, str]:
        """Only outputs that have a value for some text."""
        if "references" not in has:
            return {"directions": "source"}
        return {} if has & {"source", "prefix"} else {"directions": "references"}

    @property
    def outputs(self) -> tuple[Output, ...]:
        keys = KEYS[self.options.directions]
        if "recall" in keys:
            keys = (*keys, "f")
        return tuple(Output(key, TITLES[key], NATS, True) for key in keys)

    def explain(self, example: Example) -> dict[str, list[Evaluator]]:
        """The pairs of texts behind each output; f has none of its own."""
        keys = KEYS[self.options.directions]
        example = kinds.chosen(example, self.options.reference_kind)
        found = {key: asked(key, example, self.options) for key in keys}
        return {key: one for key, one in found.items() if not isinstance(one, str)}

    def check(self) -> None:
        if self.options.model.startswith(configuration.PREFIX):
            configuration.split_name(self.options.model)
            option_checks.check_left_out(self.options, Options(), ("dtype",))

    def load(self, device: str = "cpu") -> Scorer:
        """Load the model.

        Raises:
            MetricError: If it does not exist, or its family is not supported.
        """
        self.check()
        if self.options.model.startswith(configuration.PREFIX):
            # Only here: nothing else needs the network.
            from scoring.metrics.judge import likelihood as remote

            return self.asking(remote.load)
        options, device = self.options, models.device(device)
        folder = models.find(options.model)
        backbone = backbones.load(folder)
        model = models.seq2seq(folder, device=device, dtype=options.dtype)
        signature = self.signature(model=models.content_hash(folder))
        engine = likelihood.seq2seq(model)
        scorer = BARTScoreScorer(signature, engine, backbone, options)
        return kinds.choosing(scorer, options.reference_kind)

    def given(self, example: Example) -> list[ScoredText]:
        found = self.explain(example).values()
        return text_requests.distinct(_behind(one) for pairs in found for one in pairs)

    def asking(self, engine: Callable[[str], Engine]) -> Scorer:
        return self.over(engine(self.options.model))

    def over(self, engine: Engine) -> Scorer:
        """The scorer of a model behind an address."""
        signature = self.signature(model=engine.signature, dtype="server")
        scorer = EndpointBARTScore(signature, engine, self.options)
        return kinds.choosing(scorer, self.options.reference_kind)


class _Scorer:
    """All but how two texts are asked for."""

    def __init__(self, signature: str, engine: Any, options: Options) -> None:
        self.signature = signature
        self.engine = engine
        self.options = options

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts.

        Parts: KEY.s and KEY.w of each output but f, shape (n, references), padded with
        NaN: the score with each reference, and its weight.
        """
        meter = Meter(progress)
        found: dict[str, list[Found]] = {
            key: [] for key in KEYS[self.options.directions]
        }
        for start in range(0, len(examples), SLAB):
            slab = examples[start : start + SLAB]
            for key, results in self._scored(slab, meter).items():
                found[key] += results
        parts = {}
        for key, results in found.items():
            parts[f"{key}.s"] = padded(results)
            parts[f"{key}.w"] = padded([self._weights(one) for one in results])
        if "recall" in found:
            both = zip(found["precision"], found["recall"], strict=True)
            found["f"] = [_middle(precision, recall) for precision, recall in both]
        return Scores(
            {
                key: np.array([self._value(one) for one in results], dtype=np.float64)
                for key, results in found.items()
            },
            {
                key: [one if isinstance(one, str) else None for one in results]
                for key, results in found.items()
            },
            parts,
        )

    def _scored(
        self, examples: Sequence[Example], meter: Meter
    ) -> dict[str, list[Found]]:
        """All outputs in one pass: a text that is given twice is encoded once."""
        keys = KEYS[self.options.directions]
        plans = {key: [asked(key, e, self.options) for e in examples] for key in keys}
        pairs = self._pairs(
            evaluator
            for plan in plans.values()
            for one in plan
            if not isinstance(one, str)
            for evaluator in one
        )
        distinct = list(dict.fromkeys(pairs.values()))
        meter.begin(texts=len(examples), work=self.engine.work(distinct))
        logs = self.engine.mean_logprobs(distinct, meter)
        meter.end()
        values = dict(zip(distinct, logs, strict=True))
        return {
            key: [self._found(one, pairs, values) for one in plan]
            for key, plan in plans.items()
        }

    def _pairs(self, evaluators: Iterable[Evaluator]) -> dict[Evaluator, Any]:
        """What the engine takes for each."""
        raise NotImplementedError

    def _found(
        self,
        asked: list[Evaluator] | str,
        pairs: dict[Evaluator, Any],
        values: dict[Any, float],
    ) -> Found:
        if isinstance(asked, str):
            return asked
        own = [pairs[evaluator] for evaluator in asked]
        if reason := next(filter(None, map(self.engine.reason, own)), None):
            return reason
        scores = np.array([values[pair] for pair in own])
        if not np.isfinite(scores).all():
            return "the model gives no finite probability"
        return scores

    def _weights(self, found: Found) -> Found:
        if isinstance(found, str):
            return found
        if self.options.references == "mean":
            return np.ones(len(found))
        return (np.arange(len(found)) == found.argmax()).astype(float)

    def _value(self, found: Found) -> float:
        if isinstance(found, str):
            return np.nan
        return float(found.mean() if self.options.references == "mean" else found.max())


class BARTScoreScorer(_Scorer):
    """A loaded BARTScore."""

    def __init__(
        self, signature: str, engine: Seq2Seq, backbone: Backbone, options: Options
    ) -> None:
        super().__init__(signature, engine, options)
        self.backbone = backbone

    def _pairs(self, evaluators: Iterable[Evaluator]) -> dict[Evaluator, Any]:
        distinct = list(dict.fromkeys(evaluators))
        ids = self.backbone.ids((text for one in distinct for text in one), end=True)
        return {one: Pair(ids[one.source], ids[one.target]) for one in distinct}


class EndpointBARTScore(_Scorer):
    """A causal model behind an address, which is given one text before the other."""

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        found = super().__call__(examples, progress)
        return found._replace(notes=self.engine.notes)

    def _pairs(self, evaluators: Iterable[Evaluator]) -> dict[Evaluator, Any]:
        return {one: _behind(one) for one in evaluators}


def _behind(evaluator: Evaluator) -> ScoredText:
    return text_requests.following(evaluator.source, evaluator.target)


def asked(key: str, example: Example, options: Options) -> list[Evaluator] | str:
    """The pairs of texts that an output of a text is made of, or why there are none."""
    try:
        text = _hypothesis(example, options.hypothesis)
        if key == "faithfulness":
            return [Evaluator(_given(example, options.given), text)]
        references = [one for one in example.references if one.strip()]
    except Undefined as error:
        return str(error)
    if not references:
        return "there are no references"
    if key == "precision":
        return [Evaluator(reference, text) for reference in references]
    return [Evaluator(text, reference) for reference in references]


def _hypothesis(example: Example, chosen: str) -> str:
    text, prefix = example.text, example.prefix
    if not text.strip():
        raise Undefined("the text is empty")
    if chosen == "text":
        return text
    if not text.startswith(prefix):
        raise Undefined("the text does not start with its prefix")
    # A tokenizer may use another token for a word that follows a space.
    rest = text[len(prefix) :].strip()
    if not rest:
        raise Undefined("nothing follows the prefix")
    return rest


def _given(example: Example, chosen: str) -> str:
    if chosen == "auto" and not (example.source.strip() or example.prefix.strip()):
        raise Undefined("there is neither a source nor a prefix")
    if chosen == "source" or (chosen == "auto" and example.source.strip()):
        text = example.source
    else:
        text, chosen = example.prefix, "prefix"
    if not text.strip():
        raise Undefined(f"there is no {chosen}")
    return text


def _middle(precision: Found, recall: Found) -> Found:
    """F with each reference."""
    if isinstance(precision, str) or isinstance(recall, str):
        return precision if isinstance(precision, str) else recall
    return (precision + recall) / 2
