"""Discriminative CDM: how much likelier a better model finds a text than a worse one.

The expert p_e and the amateur p_a are models of one family. For each token of a text s,

    m(s_t) = log p_e(s_t | s_<t) - log p_a(s_t | s_<t),    in nats, (-inf, inf),

the contrastive momentum (Lu et al. 2024, eq. 3 and section 3.4.2), and pools these into
one number: mean (the metric), sum (eq. 3 as printed, which grows with length), max,
min, last. Higher is better: the better model prefers the text more clearly.

A text is scored given its source, else its prefix, else nothing; `_contrast` says how
causal and encoder-decoder models receive it. All tokens of the text are scored, plus
the end token in encoder-decoder families that score it.

The option `probe` adds one output: ratings predicted from m by a linear probe that was
fitted on human ratings of other texts (`_probing`). This output is supervised.

Part: m, shape (n, tokens), padded with NaN. NaN, with a reason, for an empty text, a
text that does not start with its prefix or has nothing after it, a text longer than the
limit of either model (nothing is cut) and, in the output probe, a text that the probe
was fitted on.

The metric assumes that the expert has the lower loss (eq. 2). A note warns you if it
does not: on held-out human text if you give any, else on references, else on the texts
themselves. Models behind addresses are not asked about references.

Raises MetricError at loading where the two models do not share a tokenizer.

Both models may also be causal ones behind addresses, `endpoint:NAME/MODEL`, whose
servers send log-probabilities of texts. Tokens are those of the servers: a text has no
score if the two split it differently, or if a token stands on both sides of where the
text begins. Without source and prefix, the first token of the text serves as context
where the server gives it no number. Such models take no probe.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scoring.endpoints.text_requests import ScoredText, distinct
from scoring.metrics._cdm import contrast as _contrast
from scoring.metrics._cdm import held_out as _held_out
from scoring.metrics._cdm import probes, remote
from scoring.metrics._cdm.contrast import Contrast, Steps
from scoring.metrics._cdm.probes import Probe
from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    Example,
    Metric,
    MetricError,
    Output,
    Progress,
    Scores,
    Series,
    option,
)
from scoring.metrics._engine.batches import Meter
from scoring.metrics._engine.rows import padded
from scoring.metrics.judge.network_metric import OverNetwork
from scoring.metrics.judge.option_checks import check_left_out

if TYPE_CHECKING:
    from scoring.metrics.judge.likelihood import Engine

POOLINGS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": np.mean,
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "last": lambda m: m[-1],
}
TITLES = {
    "mean": "CDM, mean",
    "sum": "CDM, sum",
    "max": "CDM, largest",
    "min": "CDM, smallest",
    "last": "CDM, last token",
}


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number or the notes on it."""

    expert: str = _contrast.expert_option(network=True)
    amateur: str = _contrast.amateur_option(network=True)
    context: str = _contrast.context_option()
    probe: str = option(
        "",
        "a probe fitted on human ratings of other texts, a file made by `python -m"
        " scoring.metrics probe`; adds a supervised output",
        path="file",
        label="Probe fitted on ratings",
    )
    held_out: str = _held_out.held_out_option()
    dtype: str = models.dtype_option()


class CDM(Metric, OverNetwork):
    """How much likelier a better model finds the text than a worse one."""

    title = "CDM (discriminative)"
    short = "CDM"
    source = "Lu et al. (2024), eq. 3"
    link = "https://arxiv.org/abs/2306.11879"
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        found = [
            Output(
                key,
                TITLES[key],
                f"nats per {'text' if key == 'sum' else 'token'}, (-inf, inf)",
                True,
            )
            for key in POOLINGS
        ]
        if self.options.probe:
            title = "CDM, probe fitted on human ratings (supervised)"
            found.append(Output("probe", title, "scale of those ratings", True))
        return tuple(found)

    @property
    def series(self) -> tuple[Series, ...]:
        words = (
            "How much likelier the better model finds each word than the worse one, the"
            " sum over the word's tokens. All numbers of this metric are made of these."
        )
        title = "Momentum of each word"
        return (Series("m", title, "nats", words, ends="m.ends"),)

    def check(self) -> None:
        options = self.options
        _contrast.check_named(options.expert, options.amateur)
        if remote.check(options.expert, options.amateur):
            check_left_out(options, Options(), ("dtype", "probe"))

    def load(self, device: str = "cpu") -> CDMScorer:
        """Load both models, and try them on held-out text where there is some.

        Raises:
            MetricError: If a model is missing, the two do not belong together, or a
            file cannot be read.
        """
        self.check()
        if remote.check(self.options.expert, self.options.amateur):
            # Only here: nothing else needs the network.
            from scoring.metrics.judge import likelihood

            return self.asking(likelihood.load)
        options, device = self.options, models.device(device)
        probe = probes.load(options.probe) if options.probe else None
        pair = self.pair()
        if probe and probe.pair != pair:
            raise MetricError(
                "probe: it was fitted with other models or options, namely"
                f" {probe.pair}; this run has {pair}"
            )
        contrast = _contrast.load(
            options.expert,
            options.amateur,
            context=options.context,
            dtype=options.dtype,
            device=device,
        )
        held_out, notes = options.held_out, None
        if held_out:
            notes = _held_out.on_held_out(contrast, held_out)
        return CDMScorer(
            self.signature(
                **_contrast.contents(options.expert, options.amateur),
                probe=_held_out.content_hash(options.probe),
                held_out=_held_out.content_hash(held_out),
            ),
            pair,
            contrast,
            probe,
            notes,
        )

    def given(self, example: Example) -> list[ScoredText]:
        found = _contrast.given_to(example, self.options.context)
        return distinct([] if isinstance(found, str) else [remote.asked(found)])

    def given_first(self) -> list[ScoredText]:
        path = self.options.held_out
        held_out = _held_out.texts(path) if path else []
        return distinct(one for text in held_out for one in self.given(text))

    def asking(self, engine: Callable[[str], Engine]) -> CDMScorer:
        options = self.options
        both = engine(options.expert), engine(options.amateur)
        return self.over(remote.over(*both, options.context))

    def over(self, contrast: Contrast) -> CDMScorer:
        """The scorer of two models behind addresses."""
        held_out = self.options.held_out
        notes = _held_out.on_held_out(contrast, held_out) if held_out else None
        signature = self.signature(
            expert=contrast.expert.signature,
            amateur=contrast.amateur.signature,
            dtype="server",
            probe="none",
            held_out=_held_out.content_hash(held_out),
        )
        # What is asked about a text depends on it alone, so that it can be told before.
        return CDMScorer(signature, signature, contrast, None, notes, references=False)

    def pair(self) -> str:
        """Everything that changes the values that are pooled."""
        options = self.options
        found = {
            **_contrast.contents(options.expert, options.amateur),
            "context": options.context,
            "dtype": options.dtype,
            "version": str(self.version),
        }
        return "|".join(f"{key}:{value}" for key, value in sorted(found.items()))


class CDMScorer:
    """A loaded CDM."""

    def __init__(
        self,
        signature: str,
        pair: str,
        contrast: Contrast,
        probe: Probe | None,
        notes: tuple[str, ...] | None,
        *,
        references: bool = True,
    ) -> None:
        """`notes` None: there is no held-out text to check the expert on.

        It is checked on references then, or, without `references`, on the texts alone.
        """
        self.signature = signature
        self.pair = pair
        self.contrast = contrast
        self.probe = probe
        self.notes = notes
        self._references = references

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        found = self.contrast(examples, Meter(progress))
        steps = [one.momentum if isinstance(one, Steps) else None for one in found]
        reasons = [one if isinstance(one, str) else None for one in found]
        values = {key: _pooled(steps, pool) for key, pool in POOLINGS.items()}
        why = {key: list(reasons) for key in POOLINGS}
        notes = self.notes
        if notes is None:
            others = examples if self._references else ()
            notes = _held_out.on_examples(self.contrast, others, found)
        if self.probe:
            values["probe"], why["probe"] = self._probed(examples, steps, reasons)
            notes = (*notes, *self._supervision(why["probe"]))
        notes = (*notes, *self.contrast.notes)
        ends = padded(self.contrast.ends(examples, found))
        return Scores(values, why, {"m": padded(steps), "m.ends": ends}, notes)

    def _probed(
        self,
        examples: Sequence[Example],
        steps: Sequence[np.ndarray | None],
        reasons: Sequence[str | None],
    ) -> tuple[np.ndarray, list[str | None]]:
        assert self.probe is not None
        seen = [self.probe.has_seen(example.text) for example in examples]
        unseen = [
            None if was_seen else one for was_seen, one in zip(seen, steps, strict=True)
        ]
        why = [
            "the probe was fitted on this text" if was_seen else reason
            for was_seen, reason in zip(seen, reasons, strict=True)
        ]
        return _pooled(unseen, self.probe.rating), why

    def _supervision(self, why: Sequence[str | None]) -> tuple[str, ...]:
        assert self.probe is not None
        supervised = (
            "The output probe is supervised: it was fitted on human ratings of "
            f"{len(self.probe.seen)} texts."
        )
        if "the probe was fitted on this text" not in why:
            return (supervised,)
        return (supervised, "Texts that the probe was fitted on have no probe score.")


def _pooled(
    steps: Sequence[np.ndarray | None], pool: Callable[[np.ndarray], float]
) -> np.ndarray:
    """One number for each text, float64, (n,)."""
    found = [np.nan if one is None else float(pool(one)) for one in steps]
    return np.array(found, dtype=np.float64)
