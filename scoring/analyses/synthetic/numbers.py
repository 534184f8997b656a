"""Do metrics, and people, rate real texts above synthetic ones?

Needs no ratings: that people write no worse than generators is taken for granted
(ARGENT, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scoring.analyses.shared.result import MeantOutput
from scoring.analyses.shared.setting import about_output, filtered, in_order
from scoring.analyses.synthetic.result import (
    Curve,
    Numbers,
    OfBatches,
    Result,
    Row,
    Search,
    Twins,
)
from scoring.stats import pickup, signature
from scoring.stats.data import Data, Filters, Output
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.matching import matched
from scoring.stats.option import option

TITLE = "Real vs synthetic"
VERSION = 3
PLACE = 90
GROUP = "Systems"
NEEDS = frozenset({"ratings", "scores"})
NO_REAL = "no text is by a system that is marked as people"
NO_SYNTHETIC = "all texts are by people: there is nothing to compare them with"
NOT_MATCHED = "no real text has a synthetic one with the same pair or prompt"

Parts = dict[str, signature.Part]  # of a signature


@dataclass(frozen=True)
class Options(Filters):
    """What counts as real, and how it is looked for."""

    real: tuple[str, ...] = option(
        (), "Real", of="systems", help="Leave empty for the systems written by people"
    )
    synthetic: tuple[str, ...] = option(
        (), "Synthetic", of="systems", help="Leave empty for all others"
    )
    outputs: tuple[str, ...] = option((), "Metrics", of="outputs")
    n_real: int = option(
        pickup.N_REAL,
        "Real texts per batch",
        min=1,
        max=10_000,
        help="Leave empty for 10, or all if there are fewer",
    )
    n_synthetic: int = option(
        pickup.N_SYNTHETIC,
        "Synthetic texts per batch",
        min=1,
        max=10_000,
        help="Leave empty for 90, or all if there are fewer",
    )
    n_batches: int = option(
        pickup.N_BATCHES, "Batches", min=1, max=1000, help="Empty: 10"
    )
    resample: str = option(
        "prompts",
        "Intervals for new",
        choices=(("prompts", "prompts"), ("samples", "single texts")),
        help="Always single texts if all texts share one prompt",
    )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Pick-up rate, its area, and pairwise accuracy of every metric and of people."""
    data = options.apply(data)
    data = data.only(data.of_one_level(np.isfinite(data.human_scores()).any(axis=1)))
    real, synthetic, reason = _kinds(data, options)
    found: Result = {
        "reason": reason,
        "real": _named(data, real),
        "synthetic": _named(data, synthetic),
        "n_real": int(real.sum()),
        "n_synthetic": int(synthetic.sum()),
        "rows": [],
    }
    if reason:
        return found
    search = _search(data, options, real, synthetic, rng)
    rows = [search.people(n) for n in range(len(data.aspects))]
    wanted = [
        n
        for n in in_order(data.outputs)
        if not options.outputs or data.outputs[n].id in options.outputs
    ]
    rows += [search.metric(n) for n in wanted]
    return {**found, **search.about(), "rows": rows}


def _kinds(data: Data, options: Options) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Which texts are real, which synthetic, and why there is nothing to compare."""
    named = {
        "real": {one.name for one in data.systems if one.kind == "human"},
        "synthetic": {one.name for one in data.systems},
    }
    chosen_real = set(options.real) or named["real"] - set(options.synthetic)
    chosen = set(options.synthetic) or named["synthetic"] - chosen_real
    real, synthetic = (
        np.isin(
            data.texts.system,
            [n for n, one in enumerate(data.systems) if one.name in names],
        )
        for names in (chosen_real, chosen)
    )
    if both := sorted(chosen_real & chosen):
        return real, synthetic, f"on both sides: {', '.join(both)}"
    if not real.any():
        return real, synthetic, NO_REAL
    return real, synthetic, None if synthetic.any() else NO_SYNTHETIC


def _named(data: Data, rows: np.ndarray) -> list[str]:
    return [data.systems[n].name for n in np.unique(data.texts.system[rows])]


# Each row of the tables --------------------------------------------------------------


@dataclass(frozen=True)
class _Search:
    """The texts in question, and how they are drawn; the same for every row."""

    data: Data  # real and synthetic texts only
    options: Options
    real: np.ndarray  # (n,) bool
    by_texts: bool  # whether single texts are drawn
    batch: tuple[int, int]  # real and synthetic texts
    pairs: tuple[np.ndarray, np.ndarray]  # rows of real and synthetic texts
    units: np.ndarray  # (pairs,) what is drawn together
    match: str  # "pair" or "prompt"
    n_possible: int  # pairs
    seed: int

    def about(self) -> Search:
        return {
            "batches": {
                "n": self.options.n_batches,
                "real": self.batch[0],
                "synthetic": self.batch[1],
            },
            "unit": "samples" if self.by_texts else "prompts",
            "n_units": len(np.unique(self.data.texts.prompt)),
            "match": self.match,
            "n_pairs": len(self.pairs[0]),
            "n_possible": self.n_possible,
        }

    def people(self, place: int) -> Row:
        aspect = self.data.aspects[place]
        about: MeantOutput = {
            "id": aspect.key,
            "place": place,
            "label": f"People: {aspect.title}",
            "variant": "",
            "key": aspect.key,
            "signature_id": None,
            "aspect": aspect.key,
            "meant_for": "",
            "baseline": False,
            "badges": [],
        }
        scores = self.data.human_scores()[:, place]
        numbers = self._numbers(scores, "", {"aspect": aspect.key, "raters": "mean"})
        return {**about, "people": True, **numbers}

    def metric(self, place: int) -> Row:
        output: Output = self.data.outputs[place]
        about = about_output(output, place, self.data.aspects)
        scores = self.data.metric_scores()[:, place]
        numbers = self._numbers(scores, output.reason, {"metric": output.id})
        return {**about, "people": False, **numbers}

    def _numbers(self, scores: np.ndarray, reason: str, parts: Parts) -> Numbers:
        return {
            "area": self._area(scores, reason, parts),
            **self._batches(scores, reason, parts),
            **self._twins(scores, parts),
        }

    def _area(self, scores: np.ndarray, reason: str, parts: Parts) -> Number:
        """Of all texts at once."""
        if self.by_texts:
            found = pickup.area_interval(scores, self.real)
            how: Parts = {"interval": "delong"}
        else:
            rng = np.random.default_rng(self.seed)  # the same groups for every row
            prompts = self.data.texts.prompt
            found = pickup.area_by_unit(scores, self.real, prompts, rng=rng)
            how = {"interval": "jackknife-t", "unit": "prompts"}
        if found.value is None and reason:
            found = replace(found, reason=reason)
        return number(found.with_signature(self._signed("roc area", **parts, **how)))

    def _batches(self, scores: np.ndarray, reason: str, parts: Parts) -> OfBatches:
        found = pickup.batches(
            scores,
            self.real,
            rng=np.random.default_rng(self.seed),
            n_batches=self.options.n_batches,
            n_real=self.batch[0],
            n_synthetic=self.batch[1],
        )
        signed = self._signed(
            "pick-up area",
            batches=self.options.n_batches,
            batch="/".join(map(str, self.batch)),
            seed=self.options.seed,
            **parts,
        )
        why = reason if found.area is None and reason else found.reason
        curve: Curve = {
            "k": found.k.tolist(),
            "mean": found.mean.tolist(),
            "std": found.std.tolist(),
            "upper": found.upper.tolist(),
            "lower": found.lower.tolist(),
        }
        few = why or "an SD needs two batches"
        return {
            "batch": number(Estimate(found.area, reason=why, signature=signed)),
            "std": number(
                Estimate(
                    found.area_std,
                    reason=few if found.area_std is None else None,
                    signature=signed,
                )
            ),
            "curve": None if found.area is None else curve,
        }

    def _twins(self, scores: np.ndarray, parts: Parts) -> Twins:
        if not len(self.pairs[0]):
            none = number(Estimate(None, reason=NOT_MATCHED))
            return {"strict": none, "half": none, "n_ties": 0}
        found = pickup.twins(
            scores[self.pairs[0]],
            scores[self.pairs[1]],
            unit=self.units,
        )

        def signed(ties: str) -> str:
            return self._signed(
                "pairwise accuracy",
                ties=ties,
                match=self.match,
                interval="wilson",
                **parts,
            )

        return {
            "strict": number(found.strict.with_signature(signed("lost"))),
            "half": number(found.half.with_signature(signed("half"))),
            "n_ties": found.n_ties,
        }

    def _signed(self, statistic: str, **parts: signature.Part) -> str:
        common: dict[str, signature.Part] = {
            "real": ",".join(_named(self.data, self.real)),
            "synthetic": ",".join(_named(self.data, ~self.real)),
            **filtered(self.options, self.data.policy),
        }
        return signature.text(statistic, **{**common, **parts})


def _search(
    data: Data,
    options: Options,
    real: np.ndarray,
    synthetic: np.ndarray,
    rng: np.random.Generator,
) -> _Search:
    kept = real | synthetic
    data, real = data.only(kept), real[kept]
    texts = data.texts
    match, there = "pair", texts.pair != ""
    first, second, total = matched(real & there, ~real & there, texts.pair, rng=rng)
    if not total:
        match = "prompt"
        first, second, total = matched(real, ~real, texts.prompt, rng=rng)
    one_prompt = len(np.unique(texts.prompt)) < 2
    # Twins without prompts are independent of each other; others share their prompt.
    # So are those of two prompts, one of the real and one of the synthetic texts.
    alone = one_prompt or len(np.unique(texts.prompt[first])) < 2
    of_twins = match == "pair" and (alone or options.resample == "samples")
    units = texts.pair[first] if of_twins else texts.prompt[first]
    return _Search(
        data=data,
        options=options,
        real=real,
        by_texts=one_prompt or options.resample == "samples",
        batch=(
            min(options.n_real, int(real.sum())),
            min(options.n_synthetic, int((~real).sum())),
        ),
        pairs=(first, second),
        units=units,
        match=match,
        n_possible=total,
        seed=int(rng.integers(2**32)),
    )
