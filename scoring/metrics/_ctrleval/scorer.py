"""A loaded CTRLEval: from texts to blanks, to probabilities, to scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._ctrleval.aspects import (
    Aspect,
    Coherence,
    Evaluated,
    Undefined,
    aggregate,
)
from scoring.metrics._ctrleval.patterns import Blank, written
from scoring.metrics._engine import likelihood
from scoring.metrics._engine.backbones import Backbone
from scoring.metrics._engine.base import Example, Progress, Scores
from scoring.metrics._engine.batches import SLAB, Meter
from scoring.metrics._engine.likelihood import Pair, Seq2Seq
from scoring.metrics._engine.rows import padded

ONE_SENTENCE = "the text is one sentence: there is no other that could add to it"
ALONE = (
    "Some texts are one sentence: their coherence is the log-probability of that"
    " sentence by itself, as in the released code. It says nothing of how sentences"
    " fit together."
)


class Way(NamedTuple):
    """What the number depends on besides the model: see `ctrleval.Options`."""

    weighting: str = "nisf"
    pattern: str = "ctrleval"
    plain: bool = False
    average: str = "mean"
    baseline: str = "none"


class _Plan(NamedTuple):
    """What one aspect asks of the model for some texts."""

    aspect: Aspect
    blanks: list[list[Blank]]  # by text; empty where there is a reason
    pairs: list[list[Pair]]
    # The same without a text around the gap; empty where no baseline is wanted.
    alone: list[list[Pair]]
    reasons: list[str | None]

    def asked(self) -> list[Pair]:
        """Everything that the model is asked, baselines last."""
        return list(itertools.chain(*self.pairs, *self.alone))


class CTRLEvalScorer:
    """A loaded CTRLEval."""

    def __init__(
        self,
        signature: str,
        engine: Seq2Seq,
        backbone: Backbone,
        aspects: Sequence[Aspect],
        iwf: np.ndarray,
        way: Way,
        notes: tuple[str, ...] = (),
    ) -> None:
        """`notes` are told with every score."""
        self.signature = signature
        self.engine = engine
        self.backbone = backbone
        self.aspects = aspects
        self.iwf = iwf
        self.way = way
        self.notes = notes

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts.

        Parts: KEY.s and KEY.w of each output, shape (n, evaluators), NaN behind; with
        a baseline KEY.alone, too: what was subtracted to get KEY.s.
        """
        meter = Meter(progress)
        found: dict[str, list[Evaluated | str]] = {a.key: [] for a in self.aspects}
        in_pieces: set[str] = set()
        is_alone = False
        for start in range(0, len(examples), SLAB):
            slab = examples[start : start + SLAB]
            plans = [self._plan(aspect, slab) for aspect in self.aspects]
            work = sum(self.engine.work(plan.asked()) for plan in plans)
            meter.begin(texts=len(slab), work=work)
            for plan in plans:
                found[plan.aspect.key] += self._evaluate(plan, slab, meter)
                in_pieces |= self._words_in_pieces(plan)
                is_alone |= _has_one_sentence(plan)
            meter.end()
        notes = (*self.notes, *_notes(in_pieces, self.way.average))
        notes = (*notes, ALONE) if is_alone else notes
        return self._scores(found, notes)

    def pairs(self, blanks: Iterable[Blank], *, end: bool) -> list[Pair]:
        """Token ids of blanks, in the way that is scored."""
        patterns = [written(b, self.way.pattern, self.backbone.mask) for b in blanks]
        # Without a gap there is nothing that pre-training would have filled.
        plain = self.way.plain or self.way.pattern != "ctrleval"
        form = self.backbone.plain if plain else self.backbone.pairs
        return form(patterns, end=end)

    def _plan(self, aspect: Aspect, examples: Sequence[Example]) -> _Plan:
        """Blanks of all texts, tokenized together."""
        asked = [self._blanks(aspect, example) for example in examples]
        blanks = [[] if isinstance(one, str) else one for one in asked]
        reasons = [one if isinstance(one, str) else None for one in asked]
        gains = self.way.baseline == "gap" and aspect.by_rarity
        for k, of_text in enumerate(blanks):
            if gains and of_text and all(blank.is_bare for blank in of_text):
                # Else the gain would be exactly 0, and rank among real ones.
                blanks[k], reasons[k] = [], ONE_SENTENCE
        pairs = self._pairs(blanks, end=aspect.end)
        for k, one in enumerate(pairs):
            # One evaluator less would be another number: all of them or none.
            if reason := next(filter(None, map(self.engine.reason, one)), None):
                blanks[k], pairs[k], reasons[k] = [], [], reason
        alone: list[list[Pair]] = []
        if gains:
            bare = [[Blank("", "", blank.target) for blank in one] for one in blanks]
            alone = self._pairs(bare, end=aspect.end)
        return _Plan(aspect, blanks, pairs, alone, reasons)

    def _pairs(self, blanks: Sequence[list[Blank]], *, end: bool) -> list[list[Pair]]:
        """By text; tokenized together."""
        flat = iter(self.pairs(itertools.chain(*blanks), end=end))
        return [list(itertools.islice(flat, len(one))) for one in blanks]

    def _blanks(self, aspect: Aspect, example: Example) -> list[Blank] | str:
        """What is asked about a text, or why nothing is."""
        try:
            found = aspect.blanks(example)
        except Undefined as error:
            return str(error)
        return self.backbone.reason(*itertools.chain(*found)) or found

    def _evaluate(
        self, plan: _Plan, examples: Sequence[Example], meter: Meter
    ) -> list[Evaluated | str]:
        """For each text its evaluators' scores and weights, or why there are none."""
        values = self.engine.logprobs(plan.asked(), meter)
        one_number = likelihood.means if self.way.average == "mean" else _sums
        ends = np.cumsum([len(one) for one in plan.pairs])
        inside, outside = np.split(one_number(values), ends[-1:])
        alone = outside if plan.alone else np.zeros_like(inside)
        rarity = self._rarity(plan)
        found: list[Evaluated | str] = []
        for k, (example, reason) in enumerate(zip(examples, plan.reasons, strict=True)):
            own = slice(ends[k] - len(plan.pairs[k]), ends[k])
            gained = inside[own] - alone[own]
            if reason is not None:
                found.append(reason)
            elif not np.isfinite(gained).all():
                found.append("the model gives no finite probability")
            else:
                rare = rarity[own] if rarity is not None else None
                evaluated = plan.aspect.evaluate(example, gained, rare)
                found.append(evaluated._replace(alone=outside[own]))
        return found

    def _rarity(self, plan: _Plan) -> np.ndarray | None:
        """Largest inverse word frequency of the tokens that fill each blank (eq. 7).

        Of these alone, whatever a form or a pattern puts around them.
        """
        if not plan.aspect.by_rarity:
            return None
        targets = [blank.target for one in plan.blanks for blank in one]
        ids = self.backbone.ids(targets, end=False)
        return np.array(
            [self.iwf[list(ids[target])].max(initial=0.0) for target in targets]
        )

    def _words_in_pieces(self, plan: _Plan) -> set[str]:
        """Words for labels that are more than one token."""
        if plan.aspect.by_rarity or self.way.pattern == "ppl_gpt":
            return set()
        return {
            blank.target
            for blanks, pairs in zip(plan.blanks, plan.pairs, strict=True)
            for blank, pair in zip(blanks, pairs, strict=True)
            if len(pair.scored) > 1
        }

    def _scores(
        self, found: dict[str, list[Evaluated | str]], notes: tuple[str, ...]
    ) -> Scores:
        values, reasons, parts = {}, {}, {}
        for key, results in found.items():
            values[key] = np.array(
                [
                    np.nan
                    if isinstance(one, str)
                    else aggregate(one, self.way.weighting)
                    for one in results
                ],
                dtype=np.float64,
            )
            reasons[key] = [one if isinstance(one, str) else None for one in results]
            parts[f"{key}.s"] = padded([_part(one, 0) for one in results])
            parts[f"{key}.w"] = padded([_part(one, 1) for one in results])
            alone = padded([_part(one, 2) for one in results])
            parts |= {f"{key}.alone": alone} if alone.size else {}
        return Scores(values, reasons, parts, notes)


def _has_one_sentence(plan: _Plan) -> bool:
    """Whether a text's coherence, that has a score, is of one sentence."""
    return plan.aspect.key == Coherence.key and any(
        len(one) == 1 and one[0].is_bare for one in plan.blanks
    )


def _notes(in_pieces: set[str], average: str) -> tuple[str, ...]:
    if not in_pieces:
        return ()
    words = ", ".join(repr(word) for word in sorted(in_pieces))
    return (
        f"Some words for labels are several tokens for this model: {words}. "
        f"A word's probability is e to the {average} of its tokens' log-probabilities.",
    )


def _sums(values: Sequence[np.ndarray]) -> np.ndarray:
    """Sum of each, float64, (n,); NaN where there are none."""
    return np.array([one.sum() if len(one) else np.nan for one in values], dtype=float)


def _part(found: Evaluated | str, index: int) -> np.ndarray:
    return np.empty(0) if isinstance(found, str) else found[index]
