"""Which aspect and which metrics an analysis is about, and how results name them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scoring.analyses.shared.result import OutputName
from scoring.analyses.shared.setting import NAMES, coefficient_name, filtered, in_order
from scoring.stats import correlation, signature
from scoring.stats.correlation import Coefficient
from scoring.stats.data import BY_REFERENCE, Data, Evaluators, Filters, Output

NO_ASPECT = "the study has no aspect"


def aspect_place(data: Data, key: str) -> int | None:
    """The aspect that was asked for, or else the first; None where there is none."""
    keys = [aspect.key for aspect in data.aspects]
    if not keys:
        return None
    return keys.index(key) if key in keys else 0


def for_aspect(data: Data, aspect: str, ids: Iterable[str] = ()) -> list[int]:
    """Places of the outputs to show beside the human scores of an aspect.

    Those that were asked for, if any. Else those meant for the aspect, those meant for
    none that have a direction, and the lengths: in this order.
    """
    wanted = set(ids)
    if wanted:
        usual = [n for n, one in enumerate(data.outputs) if one.id in wanted]
    else:
        usual = [n for n, one in enumerate(data.outputs) if _usual(one, aspect)]
    return sorted(usual, key=lambda n: _order(data.outputs[n], aspect))


def _usual(output: Output, aspect: str) -> bool:
    if output.measures is None:
        return output.higher_is_better is not None
    return output.measures == aspect


def _order(output: Output, aspect: str) -> tuple[bool, bool]:
    return output.baseline, output.measures != aspect


def human_of(data: Data, place: int | None) -> np.ndarray:
    """Human scores of one aspect, (n,), higher is better; NaN where there is none."""
    if place is None:
        return np.full(len(data.texts), np.nan)
    return data.human_scores()[:, place]


def with_evaluators(data: Data) -> list[tuple[Output, Evaluators]]:
    """Outputs whose parts are kept, with them, in the order of the outputs."""
    kept = {one.output: one for one in data.evaluators}
    return [(one, kept[one.id]) for one in data.outputs if one.id in kept]


def with_references(data: Data) -> list[tuple[Output, Evaluators]]:
    """Outputs whose scores with single references are kept, with them."""
    kept = {one.output: one for one in data.evaluators}
    named = [(one, one.id + BY_REFERENCE) for one in data.outputs]
    return [(one, kept[name]) for one, name in named if name in kept]


def described(data: Data, place: int, aspect: str) -> OutputName:
    """What a table says of an output: its names, where it leads, its badges."""
    one = data.outputs[place]
    badges = {
        "meant for it": one.measures == aspect,
        "baseline": one.baseline,
        "no direction": one.higher_is_better is None,
        "small model": one.small_model,
    }
    return {
        "id": one.id,
        "place": in_order(data.outputs).index(place),  # gives it its colour
        "label": one.label,
        "variant": one.variant,
        "key": one.key,
        "signature_id": one.signature_id,
        "aspect": aspect,
        "baseline": one.baseline,
        "badges": [badge for badge, holds in badges.items() if holds],
    }


def correlate(
    coefficient: str, metric: np.ndarray, human: np.ndarray, reason: str = ""
) -> Coefficient:
    """One correlation of all texts; `reason` is why the metric has no score at all."""
    found: Coefficient = getattr(correlation, coefficient)(metric, human, NAMES)
    if found.value is None and reason:
        return found._replace(reason=reason)
    return found


def signed(
    data: Data, options: Filters, coefficient: str, **parts: signature.Part
) -> str:
    """A signature with what every number of an analysis depends on."""
    common: dict[str, signature.Part] = {
        "raters": "mean",
        "seed": options.seed,
        **filtered(options, data.policy),
    }
    return signature.text(coefficient_name(coefficient), **{**common, **parts})
