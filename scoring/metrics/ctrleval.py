"""CTRLEval: an unsupervised reference-free metric for controlled text generation.

Ke, Zhou, Lin, Li, Zhou, Zhu & Huang (2022), https://aclanthology.org/2022.acl-long.164.
A model that was pre-trained to fill gaps scores each text by filling gaps in it:
sentences from the other sentences (coherence), text from prefix and back (consistency),
words for the label into prompts about the text (attribute relevance).

Where the authors' released code differs from the paper's formulas, its numbers are
computed here: log-probabilities are means over tokens, not sums; the end token counts
in coherence only; the plain mean is taken where all weights are 0.

A text gets NaN, with a reason, in the aspects that do not exist for it: no prefix, no
label with verbalizers, longer than the model's limit. Nothing is cut to fit. Sentences
given with a text are used as they are.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotation import sentences
from scoring.metrics import _backbones, _likelihood, _models
from scoring.metrics._backbones import Backbone
from scoring.metrics._base import (
    Example,
    Metric,
    MetricError,
    OptionError,
    Output,
    Progress,
    Scores,
    option,
)
from scoring.metrics._batches import Meter
from scoring.metrics._ctrleval_aspects import (
    Aspect,
    Coherence,
    Consistency,
    Evaluated,
    Relevance,
    Undefined,
    aggregate,
)
from scoring.metrics._ctrleval_tables import TABLES, Table
from scoring.metrics._likelihood import Pair, Seq2Seq

# Texts planned at once. Enough to sort by length, few enough to hold their tokens.
SLAB = 256
# A table made for a model, beside its weights.
IWF = "iwf.txt"


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "google/pegasus-large",
        f"gap-filling model of the PEGASUS family: {_models.MODEL_HELP}",
        path="model",
    )
    iwf: str = option(
        "",
        "file of inverse word frequencies, one number per token id; needed by nisf;"
        " bundled models bring theirs",
        path="file",
    )
    weighting: str = option(
        "nisf",
        "how evaluators are combined: by rarity of what they predict, or plainly",
        ("nisf", "mean", "max", "min"),
    )
    evaluators: str = option(
        "auto",
        "prompts and verbalizers; auto takes those that have the text's label",
        ("auto", *TABLES),
    )
    dtype: str = option("float32", _models.DTYPE_HELP, _models.DTYPES)


class CTRLEval(Metric):
    """Coherence, consistency and attribute relevance of controlled text."""

    title = "CTRLEval"
    source = "Ke et al. (2022), eq. 1-17"
    link = "https://aclanthology.org/2022.acl-long.164"
    Options = Options
    needs = frozenset({"prefix", "label"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        nats = "nats per token, (-inf, 0]"
        share = "probability of the label, [0, 1]"
        relevance = "attribute-relevance"
        return (
            Output("coherence", "Coherence", nats, True, "coherence"),
            Output("consistency", "Consistency", nats, True, "consistency"),
            Output(relevance, "Attribute relevance", share, True, relevance),
        )

    def check(self) -> None:
        if self.options.weighting == "nisf" and self._iwf() is None:
            raise OptionError(
                "weighting=nisf needs inverse word frequencies: set the option iwf to "
                "a file with one number per token id, or choose weighting=mean"
            )

    def load(self, device: str = "cpu") -> CTRLEvalScorer:
        self.check()
        options, device = self.options, _models.device(device)
        folder = _models.find(options.model)
        backbone = _backbones.load(folder)
        iwf, iwf_hash = None, "none"
        if options.weighting == "nisf" and (table := self._iwf()):
            iwf = read_iwf(table, backbone.vocabulary)
            iwf_hash = _models.hash_of(table)
        model = _models.seq2seq(folder, device=device, dtype=options.dtype)
        tables = self._tables()
        signature = self.signature(
            model=_models.content_hash(folder),
            iwf=iwf_hash,
            evaluators=",".join(f"{name}:{t.hash()}" for name, t in tables.items()),
            splitter=sentences.NAME,
        )
        aspects = (Coherence(), Consistency(), Relevance(tuple(tables.values())))
        engine = _likelihood.seq2seq(model)
        return CTRLEvalScorer(
            signature, engine, backbone, aspects, iwf, options.weighting
        )

    def _iwf(self) -> Path | None:
        """The table of frequencies: as given, else the one in the model's folder."""
        if self.options.iwf:
            return Path(self.options.iwf).expanduser()
        folder = _models.local(self.options.model)
        table = folder / IWF if folder else None
        return table if table and table.is_file() else None

    def _tables(self) -> dict[str, Table]:
        chosen = self.options.evaluators
        return TABLES if chosen == "auto" else {chosen: TABLES[chosen]}


class _Plan(NamedTuple):
    """What one aspect asks of the model for some texts."""

    aspect: Aspect
    pairs: list[list[Pair]]  # by text; empty where there is a reason
    reasons: list[str | None]


class CTRLEvalScorer:
    """A loaded CTRLEval."""

    def __init__(
        self,
        signature: str,
        engine: Seq2Seq,
        backbone: Backbone,
        aspects: Sequence[Aspect],
        iwf: np.ndarray | None,
        weighting: str,
    ) -> None:
        self.signature = signature
        self.engine = engine
        self.backbone = backbone
        self.aspects = aspects
        self.iwf = iwf
        self.weighting = weighting

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts.

        Parts: KEY.s and KEY.w of each output, shape (n, evaluators), NaN behind.
        """
        meter = Meter(progress)
        found: dict[str, list[Evaluated | str]] = {a.key: [] for a in self.aspects}
        for start in range(0, len(examples), SLAB):
            slab = examples[start : start + SLAB]
            plans = [self._plan(aspect, slab) for aspect in self.aspects]
            meter.begin(texts=len(slab), work=sum(map(self._work, plans)))
            for plan in plans:
                found[plan.aspect.key] += self._evaluate(plan, slab, meter)
            meter.end()
        return self._scores(found)

    def _plan(self, aspect: Aspect, examples: Sequence[Example]) -> _Plan:
        """Patterns of all texts, tokenized together."""
        patterns: list[list[_backbones.Pattern]] = []
        reasons: list[str | None] = []
        for example in examples:
            try:
                patterns.append(aspect.patterns(example, self.backbone.mask))
                reasons.append(None)
            except Undefined as error:
                patterns.append([])
                reasons.append(str(error))
        flat = iter(
            self.backbone.pairs(
                [pattern for one in patterns for pattern in one], end=aspect.end
            )
        )
        pairs = [list(itertools.islice(flat, len(one))) for one in patterns]
        for k, one in enumerate(pairs):
            # One evaluator less would be another number: all of them or none.
            if reason := next(filter(None, map(self.engine.reason, one)), None):
                pairs[k], reasons[k] = [], reason
        return _Plan(aspect, pairs, reasons)

    def _work(self, plan: _Plan) -> int:
        return self.engine.work([pair for one in plan.pairs for pair in one])

    def _evaluate(
        self, plan: _Plan, examples: Sequence[Example], meter: Meter
    ) -> list[Evaluated | str]:
        """For each text its evaluators' scores and weights, or why there are none."""
        flat = [pair for one in plan.pairs for pair in one]
        logs = self.engine.mean_logprobs(flat, meter)
        ends = np.cumsum([len(one) for one in plan.pairs])
        found: list[Evaluated | str] = []
        for example, pairs, reason, own in zip(
            examples, plan.pairs, plan.reasons, np.split(logs, ends[:-1]), strict=True
        ):
            if reason is not None:
                found.append(reason)
            elif not np.isfinite(own).all():
                found.append("the model gives no finite probability")
            else:
                found.append(plan.aspect.evaluate(example, pairs, own, self.iwf))
        return found

    def _scores(self, found: dict[str, list[Evaluated | str]]) -> Scores:
        values, reasons, parts = {}, {}, {}
        for key, results in found.items():
            values[key] = np.array(
                [
                    np.nan if isinstance(one, str) else aggregate(one, self.weighting)
                    for one in results
                ],
                dtype=np.float64,
            )
            reasons[key] = [one if isinstance(one, str) else None for one in results]
            parts[f"{key}.s"] = _padded([_part(one, 0) for one in results])
            parts[f"{key}.w"] = _padded([_part(one, 1) for one in results])
        return Scores(values, reasons, parts)


def read_iwf(path: Path, vocabulary: int) -> np.ndarray:
    """Inverse word frequencies, one per token id, float64, shape (vocabulary,).

    Raises:
        MetricError: If the file is not there, or does not fit the model's tokenizer.
    """
    try:
        iwf = np.array(path.read_text(encoding="utf-8").split(), dtype=np.float64)
    except (OSError, ValueError) as error:
        raise MetricError(f"cannot read the table of frequencies: {error}") from error
    if len(iwf) != vocabulary:
        raise MetricError(
            f"{path} has {len(iwf)} numbers, but the model's tokenizer has "
            f"{vocabulary} tokens: the table was made for another tokenizer"
        )
    if not (np.isfinite(iwf).all() and (iwf >= 0).all()):
        raise MetricError(f"{path} holds numbers that are no frequencies")
    return iwf


def _part(found: Evaluated | str, index: int) -> np.ndarray:
    return np.empty(0) if isinstance(found, str) else found[index]


def _padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Rows of unequal length to a rectangle with NaN behind."""
    table = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table
