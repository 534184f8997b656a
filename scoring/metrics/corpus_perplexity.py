"""Generation perplexity: how surprising a system's texts are to a language model.

    exp( - sum_i sum_t ln P(y_it | y_i,<t) / sum_i m_i ),  in [1, inf)

over all m_i tokens of all texts, so that a long text counts more than a short one (Fan
et al. 2018 for models, Pillutla et al. 2021 for what they generate). Each text is
scored alone, prefix included. If the tokenizer has a begin-of-text token, it is put
before the text; otherwise the first token of the text serves as context and is not
scored.

Only the first `max_tokens` tokens of a text count, or fewer if the model's limit is
lower; a note says when a text was cut, and the details of the run say how many were. A
text without tokens adds nothing. There is no score if there is no token to score.

Endless repetition has a low perplexity and gibberish a high one. Neither high nor low
is good in itself: what counts is how close the value is to that of human text,

    closeness = -|perplexity of the system - perplexity of human texts|,  in (-inf, 0],

using all texts on both sides, because their number does not matter. The human texts are
scored once, not once for each system.

`reads=generated` leaves the prefixes of the system's texts out, so that only words of
the system count; the model does not see the prefix then. Human texts are read as they
are.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scoring.metrics._distributions import closeness
from scoring.metrics._engine import likelihood, models
from scoring.metrics._engine.base import (
    OptionError,
    Output,
    Progress,
    SystemMetric,
    SystemScores,
    SystemTexts,
    option,
)
from scoring.metrics._engine.batches import Meter
from scoring.metrics._engine.likelihood import Causal, Text
from scoring.metrics.perplexity import SLAB


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "openai-community/gpt2-large",
        "causal language model",
        path="model",
        typed=models.CAUSAL_HELP,
        label="Language model",
        takes=("causal",),
    )
    max_tokens: int = option(
        512,
        "tokens of a text after this many are ignored",
        label="Longest text, in tokens",
    )
    bos: bool = option(
        True,
        "put the begin-of-text token first, if there is one",
        label="Put the begin-of-text token first",
    )
    reads: str = closeness.reads_option()
    dtype: str = models.dtype_option()


class CorpusPerplexity(SystemMetric):
    """How surprising a system's texts are to a language model."""

    title = "Generation perplexity of each system"
    short = "Generation perplexity"
    source = "Fan et al. (2018); Pillutla et al. (2021)"
    link = "https://arxiv.org/abs/1805.04833"
    Options = Options
    uses = frozenset({"corpus"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        title = "Generation perplexity"
        own = Output("perplexity", title, "perplexity, [1, inf)", None)
        return closeness.outputs(own)

    def check(self) -> None:
        # The first token may serve as context only: with a limit of one nothing is
        # scored.
        if self.options.max_tokens < 2:
            given = self.options.max_tokens
            raise OptionError(f"max_tokens={given}: expected 2 or more")

    def load(self, device: str = "cpu") -> CorpusPerplexityScorer:
        """Load the model.

        Raises:
            MetricError: If it does not exist, or is not a causal language model.
        """
        self.check()
        options, device = self.options, models.device(device)
        folder = models.find(options.model)
        model = models.causal(folder, device=device, dtype=options.dtype)
        return CorpusPerplexityScorer(
            self.signature(model=models.content_hash(folder)),
            likelihood.causal(model),
            models.tokenizer(folder),
            bos=options.bos,
            max_tokens=options.max_tokens,
            reads=options.reads,
        )


class Totals(NamedTuple):
    """Sums over texts."""

    nll: float = 0.0  # nats
    tokens: int = 0
    cut: int = 0  # texts

    @property
    def perplexity(self) -> float | str:
        """The perplexity, or why there is none."""
        if not self.tokens:
            return "there is no token to score"
        # e^700 is about the largest number that there is.
        if not self.nll / self.tokens < 700:
            return "the model gives no finite probability"
        return math.exp(self.nll / self.tokens)


class CorpusPerplexityScorer:
    """A loaded generation perplexity. It keeps the sums of the last corpus."""

    def __init__(
        self,
        signature: str,
        engine: Causal,
        tokenizer: Any,
        *,
        bos: bool,
        max_tokens: int,
        reads: str = closeness.FULL,
    ) -> None:
        self.signature, self._reads = signature, reads
        self._engine, self._tokenizer = engine, tokenizer
        start = tokenizer.bos_token_id if bos else None
        self._start = () if start is None else (start,)
        room = max_tokens
        if engine.limit is not None:  # the last token is predicted, and never read
            room = min(room, engine.limit + 1 - len(self._start))
        self._room = room
        self._human = ("", Totals())  # digest of a corpus, and what came of it

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """Perplexity of shape (1,), and its closeness. Nothing here is random."""
        own = self._totals(closeness.read(given, self._reads), progress)
        people = [self._of_people(given.corpus, progress)] if given.corpus else []
        numbers, *human = [{"perplexity": one.perplexity} for one in [own, *people]]
        found = closeness.scores(numbers, [(numbers, one) for one in human])
        details = {**found.details, "cut": own.cut}
        note = f"Only the first {self._room} tokens of each text count"
        notes = (note,) if any(one.cut for one in [own, *people]) else ()
        return found._replace(details=details, notes=notes)

    def _of_people(self, corpus: Sequence[str], progress: Progress | None) -> Totals:
        """All systems of a run share one corpus: the first of them scores it."""
        digest = hashlib.sha256("\0".join(corpus).encode()).hexdigest()
        if self._human[0] != digest:
            # A sign of life, but none of the system's texts is finished by it.
            alive = None if progress is None else lambda n: progress(0)
            self._human = (digest, self._totals(corpus, alive))
        return self._human[1]

    def _totals(self, texts: Sequence[str], progress: Progress | None) -> Totals:
        meter = Meter(progress)
        slabs = [
            self._slab(texts[start : start + SLAB], meter)
            for start in range(0, len(texts), SLAB)
        ]
        return Totals(
            sum(slab.nll for slab in slabs),
            sum(slab.tokens for slab in slabs),
            sum(slab.cut for slab in slabs),
        )

    def _slab(self, texts: Sequence[str], meter: Meter) -> Totals:
        encoded = self._tokenizer(
            list(texts), add_special_tokens=False, truncation=False, verbose=False
        )["input_ids"]
        rows = [Text((*self._start, *ids[: self._room])) for ids in encoded]
        meter.begin(texts=len(rows), work=self._engine.work(rows))
        logs = self._engine.logprobs(rows, meter)
        meter.end()
        return Totals(
            -float(sum(one.sum() for one in logs)),
            sum(map(len, logs)),
            sum(len(ids) > self._room for ids in encoded),
        )
