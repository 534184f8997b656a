"""Discriminative CDM: where a better model and a worse one differ about a text.

An expert p_e and an amateur p_a of one family. For each token of a text s,

    m(s_t) = log p_e(s_t | s_<t) - log p_a(s_t | s_<t),    in nats, (-inf, inf),

the contrastive momentum (Lu et al. 2024, eq. 3 and section 3.4.2), and from these one
number by pooling: mean (the metric), sum (eq. 3 as printed, which grows with length),
max, min, last. Higher is better: towards what the better model prefers.

What a text is given is its source, else its prefix, else nothing; `_contrast` says how
causal and encoder-decoder models are given it. All tokens of the text are scored, with
its end token in an encoder-decoder model whose family scores that.

With the option `probe` there is one output more: ratings predicted from m by a linear
probe that was fitted on human ratings of other texts (`_probing`). It is supervised.

Part: m, shape (n, tokens), NaN behind. NaN, with a reason, for an empty text, one that
does not start with its prefix or is no longer than it, one longer than the limit of
either model (nothing is cut), and, in the output probe, a text that the probe was
fitted on.

A note says so where the expert does not have the lower loss, which is what the metric
assumes (eq. 2): on held-out human text if there is any, else on references, else on the
texts themselves.

Raises MetricError at loading where the two models do not share a tokenizer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from scoring.metrics._cdm import contrast as _contrast
from scoring.metrics._cdm import held_out as _held_out
from scoring.metrics._cdm import probes
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
    option,
)
from scoring.metrics._engine.batches import Meter
from scoring.metrics._engine.rows import padded

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
    """Everything that changes the number, and what is said about it."""

    expert: str = option(
        "openai-community/gpt2-large",
        _contrast.EXPERT_HELP,
        typed=models.CAUSAL_HELP,
        path="model",
        label="Better model (expert)",
        takes=("causal",),
    )
    amateur: str = option(
        "openai-community/gpt2",
        _contrast.AMATEUR_HELP,
        typed=models.CAUSAL_HELP,
        path="model",
        label="Worse model (amateur)",
        takes=("causal",),
    )
    context: str = option(
        "auto",
        _contrast.CONTEXT_HELP,
        _contrast.CONTEXTS,
        label="What each text is given",
        titles=("its source, or else its prefix", "nothing"),
    )
    probe: str = option(
        "",
        "file of a probe fitted on human ratings of other texts, made by "
        "`python -m scoring.metrics probe`; adds a supervised output",
        path="file",
        label="Probe fitted on ratings",
    )
    held_out: str = option(
        "", _held_out.HELP, path="file", label="Human texts for a check"
    )
    dtype: str = option(
        "float32",
        models.DTYPE_HELP,
        models.DTYPES,
        label="Arithmetic",
        titles=("32-bit floats", "bfloat16"),
    )


class CDM(Metric):
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

    def check(self) -> None:
        _contrast.check_named(self.options.expert, self.options.amateur)

    def load(self, device: str = "cpu") -> CDMScorer:
        """Load both models, and try them on held-out text where there is some.

        Raises:
            MetricError: If one is missing, they are no pair, or a file is unreadable.
        """
        self.check()
        options, device = self.options, models.device(device)
        probe = probes.load(options.probe) if options.probe else None
        pair = self.pair()
        if probe and probe.pair != pair:
            raise MetricError(
                "probe: it was fitted on other models or options, namely "
                f"{probe.pair}; these are {pair}"
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

    def pair(self) -> str:
        """All that changes the values that are pooled."""
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
    ) -> None:
        """`notes` None: there is no held-out text to tell who is the expert."""
        self.signature = signature
        self.pair = pair
        self.contrast = contrast
        self.probe = probe
        self.notes = notes

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
            notes = _held_out.on_examples(self.contrast, examples, found)
        if self.probe:
            values["probe"], why["probe"] = self._probed(examples, steps, reasons)
            notes = (*notes, *self._supervision(why["probe"]))
        return Scores(values, why, {"m": padded(steps)}, notes)

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
