"""Perplexity: how surprising a text is to a language model.

nll = - (1/m) sum_t log P(y_t | y_<t), in nats per token, over every token of the full
text. If the tokenizer has a begin-of-text token, it is put before the text; otherwise
the first token serves as context and is not scored. Perplexity itself is e^nll: it
ranks texts in the same way, but outliers distort its correlations less on the
logarithmic scale.

`tokens=generation` scores the tokens that contain at least one character after the
prefix. NaN, with a reason, for a text without tokens to score and for one longer than
the model's limit: nothing is cut.

For encoder-decoder models that fill gaps (BART, PEGASUS, T5) there are two forms, which
no paper defines. Neither scores the end token, and `bos` has no effect: the decoder has
its own start token.

- `form=from_mask`, the default: - (1/m) sum_t log P(y_t | y_<t, gap). The encoder reads
  only a gap, and the decoder predicts the whole text.
- `form=leave_one_out`: - (1/m) sum_j sum_t log P(y_jt | y_j,<t, text with a gap for
  sentence j). Each sentence is predicted from the others, and m counts the tokens of
  all sentences. The sentences given with a text are used as they are.

The model may also be a causal one behind an address, `endpoint:NAME/MODEL`, whose
server sends log-probabilities of texts. Its tokens are those of the server. Where the
server puts no mark before a text, or does not give the first token a number, the first
token serves as context. With `tokens=generation`, a text has no score if a token holds
characters both of the prefix and of what follows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation import sentences
from scoring.endpoints import configuration
from scoring.endpoints.text_requests import ScoredText, distinct
from scoring.metrics._engine import backbones, likelihood, models
from scoring.metrics._engine.base import (
    Example,
    Metric,
    MetricError,
    OptionError,
    Output,
    Progress,
    Scorer,
    Scores,
    option,
)
from scoring.metrics._engine.batches import Meter
from scoring.metrics._engine.gap_perplexity import FORMS, GapScorer
from scoring.metrics._engine.likelihood import Causal, Text
from scoring.metrics._engine.rows import by_slabs
from scoring.metrics.judge import option_checks
from scoring.metrics.judge import perplexity as remote
from scoring.metrics.judge.network_metric import OverNetwork

if TYPE_CHECKING:
    from scoring.metrics.judge.likelihood import Engine

BEHIND_PREFIX = (
    "tokens=generation needs a causal language model, such as GPT-2: choose one, or the"
    " metric bartscore with hypothesis=continuation"
)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "openai-community/gpt2",
        "causal language model, or one that fills gaps",
        path="model",
        typed=models.CAUSAL_HELP,
        label="Language model",
        takes=("causal", "infill"),
        network=True,
    )
    form: str = option(
        "auto",
        "what is predicted from what: each token from those before it (causal), the"
        " whole text from an empty gap (from_mask), or each sentence from the others"
        " (leave_one_out); automatic: the first for causal models, the second for"
        " others",
        ("auto", "causal", *FORMS),
        label="What is predicted from what",
        titles=(
            "automatic",
            "each token from those before it",
            "the whole text from an empty gap",
            "each sentence from the others",
        ),
    )
    tokens: str = option(
        "all",
        "which tokens are scored: those of the full text, or those after the prefix",
        ("all", "generation"),
        label="Tokens to score",
        titles=("whole text", "what follows the prefix"),
    )
    bos: bool = option(
        True,
        "put the begin-of-text token first, if there is one",
        label="Put the begin-of-text token first",
    )
    dtype: str = models.dtype_option()


# Texts planned together: enough to sort by length, few enough to keep their tokens.
SLAB = 1024


class Perplexity(Metric, OverNetwork):
    """How surprising the text is to a language model."""

    title = "Perplexity"
    source = "mean negative log-likelihood under a language model"
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "nats per token, [0, inf)"
        return (Output("nll", "Negative log-likelihood", unit, False),)

    def check(self) -> None:
        if self.options.form in FORMS and self.options.tokens == "generation":
            raise OptionError(BEHIND_PREFIX)
        if self.options.model.startswith(configuration.PREFIX):
            configuration.split_name(self.options.model)
            option_checks.check_left_out(self.options, Options(), ("bos", "dtype"))
            if self.options.form in FORMS:
                raise OptionError(
                    f"form={self.options.form}: a model behind an address has"
                    " form=causal only"
                )

    def load(self, device: str = "cpu") -> Scorer:
        """Load the model.

        Raises:
            MetricError: If it does not exist, or cannot be used in the form that was
            asked for.
        """
        self.check()
        if self.options.model.startswith(configuration.PREFIX):
            # Only here: nothing else needs the network.
            from scoring.metrics.judge import likelihood as network

            return self.asking(network.load)
        device = models.device(device)
        folder = models.find(self.options.model)
        form = self._form(folder)
        contents = {"model": models.content_hash(folder), "form": form}
        if form == "leave_one_out":
            contents["splitter"] = sentences.NAME
        signature = self.signature(**contents)
        if form == "causal":
            return self._causal(signature, folder, device)
        return self._gap(signature, folder, device, form)

    def given(self, example: Example) -> list[ScoredText]:
        found = remote.given(example, generation_only=self._generation_only)
        return distinct([] if isinstance(found, str) else [found])

    def asking(self, engine: Callable[[str], Engine]) -> Scorer:
        return self.over(engine(self.options.model))

    def over(self, engine: Engine) -> Scorer:
        """The scorer of a model behind an address."""
        signature = self.signature(
            model=engine.signature, form="causal", bos="server", dtype="server"
        )
        return remote.EndpointPerplexity(
            signature, engine, generation_only=self._generation_only
        )

    @property
    def _generation_only(self) -> bool:
        return bool(self.options.tokens == "generation")

    def _form(self, folder: Path) -> str:
        """The form asked for, if the model can be used in it."""
        fills_gaps = models.config(folder).is_encoder_decoder
        form = self.options.form
        if form == "auto":
            form = "from_mask" if fills_gaps else "causal"
        if form == "causal" and fills_gaps:
            raise MetricError(
                f"form=causal needs a causal language model, but {folder} is an"
                " encoder-decoder: use form=from_mask or form=leave_one_out"
            )
        if form in FORMS and not fills_gaps:
            raise MetricError(
                f"form={form} needs an encoder-decoder model that fills gaps (BART,"
                f" PEGASUS, T5), but {folder} is not one: use form=causal"
            )
        if fills_gaps and self.options.tokens == "generation":
            raise MetricError(BEHIND_PREFIX)
        return form

    def _causal(self, signature: str, folder: Path, device: str) -> PerplexityScorer:
        options = self.options
        tokenizer = models.tokenizer(folder)
        model = models.causal(folder, device=device, dtype=options.dtype)
        return PerplexityScorer(
            signature,
            likelihood.causal(model),
            tokenizer,
            bos=options.bos,
            generation_only=self._generation_only,
        )

    def _gap(self, signature: str, folder: Path, device: str, form: str) -> GapScorer:
        backbone = backbones.load(folder)
        model = models.seq2seq(folder, device=device, dtype=self.options.dtype)
        return GapScorer(signature, likelihood.seq2seq(model), backbone, form)


class PerplexityScorer:
    """A loaded perplexity."""

    def __init__(
        self,
        signature: str,
        engine: Causal,
        tokenizer: Any,
        *,
        bos: bool,
        generation_only: bool,
    ) -> None:
        self.signature = signature
        self.engine = engine
        self._tokenizer = tokenizer
        self._start = [tokenizer.bos_token_id] if bos else []
        if None in self._start:
            self._start = []
        self._generation_only = generation_only

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        return by_slabs("nll", examples, progress, self._slab, size=SLAB)

    def _slab(self, examples: Sequence[Example], meter: Meter) -> list[float | str]:
        """For each text its score, or why there is none."""
        texts, reasons = self._texts(examples)
        meter.begin(texts=len(examples), work=self.engine.work(texts))
        logs = self.engine.mean_logprobs(texts, meter)
        meter.end()
        unusual = "the model gives no finite probability"
        return [
            reason or (-float(value) if np.isfinite(value) else unusual)
            for reason, value in zip(reasons, logs, strict=True)
        ]

    def _texts(
        self, examples: Sequence[Example]
    ) -> tuple[list[Text], list[str | None]]:
        encoded = self._tokenizer(
            [example.text for example in examples],
            add_special_tokens=False,
            return_offsets_mapping=self._generation_only,
            # A long text must reach the engine, which reports that it is too long.
            truncation=False,
            verbose=False,
        )
        texts, reasons = [], []
        for k, example in enumerate(examples):
            ids = (*self._start, *encoded["input_ids"][k])
            first, reason = 1, None
            if self._generation_only and not example.text.startswith(example.prefix):
                reason = "the text does not start with its prefix"
            elif self._generation_only:
                ends = [end for _, end in encoded["offset_mapping"][k]]
                before = sum(end <= len(example.prefix) for end in ends)
                first = max(1, before + len(self._start))
            text = Text(ids, first)
            texts.append(Text(()) if reason else text)
            reasons.append(reason or self.engine.reason(text))
        return texts, reasons
