"""Do people mark the same errors, and does a metric find what they mark?

mpp (`scoring.stats.spans.matching`) against each person in turn, beside people against
each other (the ceiling) and two guesses (the floors).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from scoring.analyses.marked_errors import by_name, passages, rows
from scoring.analyses.marked_errors.options import Options, Setting
from scoring.analyses.marked_errors.result import Floor, Metric, People, Result
from scoring.analyses.shared import rivals
from scoring.stats import kappa
from scoring.stats.data import Data
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.jackknife import Jackknifed
from scoring.stats.spans import floors
from scoring.stats.spans.f_scores import (
    NO_PAIR,
    NO_PREDICTED,
    Compared,
    between_people,
    mean_scores,
    mpp,
    with_people,
    wmt25,
)
from scoring.stats.spans.floors import Guess
from scoring.stats.spans.unit_alpha import Unit, alpha_interval, has_error_interval

__all__ = ["GROUP", "NEEDS", "PLACE", "TITLE", "VERSION", "Options", "compute"]

TITLE = "Marked errors"
VERSION = 4
PLACE = 58
GROUP = "Metrics"
NEEDS = frozenset({"marks"})
# Where two people share fewer texts than this, the median of all pairs, F of each pair
# would hang on single marks: then the marks of all pairs are counted together.
LEAST_SHARED = 10


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """People with each other, each metric with people, by name, and some texts."""
    data = options.apply(data)
    study = rows.of_data(data)
    left = rivals.left_out(study.texts.prompt, int(rng.integers(2**32)))
    human = between_people(study.pages, len(study.texts), mpp)
    few = human.texts_of_pair < LEAST_SHARED
    setting = Setting(study, options, data.policy, left, few)
    # Each metric has its own source: none depends on whether another was computed.
    seed = int(rng.integers(2**32))
    metrics = [
        _metric(setting, name, human, np.random.default_rng([seed, *name.encode()]))
        for name in study.metrics
    ]
    metrics.sort(key=lambda metric: -(metric["f"]["value"] or 0.0))
    tests = [
        part
        for metric in metrics
        for part in (metric["to_ceiling"], *(f["above"] for f in metric["floors"]))
    ]
    order = [metric["name"] for metric in metrics]
    return {
        "n_texts": len(np.unique(study.pages.text)),
        "n_people": len(np.unique(study.pages.rater)),
        "n_marks": sum(map(len, study.pages.marks)),
        "shared": "together" if few else "each",
        "people": _people(setting, human),
        "metrics": metrics,
        "family": rivals.adjust(tests),
        "categories": by_name.table(setting, "category", order),
        "severities": by_name.table(setting, "severity", order),
        "passages": passages.most_marked(study, options.most_texts),
    }


# People with each other --------------------------------------------------------------


def _people(setting: Setting, human: Compared) -> People:
    study, texts = setting.study, setting.study.texts
    by_character = between_people(study.pages, len(texts), wmt25)
    has_error, equal = has_error_interval(study.pages, texts, left=setting.left)
    share = Estimate(equal, n=has_error.n, reason=kappa.NO_PAIR)
    signed = setting.signed("equal-pairs", of="has-error", n=has_error.n)

    def alpha(unit: Unit, categories: bool) -> Estimate:
        return alpha_interval(
            study.pages, texts, unit=unit, left=setting.left, categories=categories
        )

    return {
        "f": _f(setting, human, NO_PAIR, "mpp-f")[1],
        "wmt25": _f(setting, by_character, NO_PAIR, "wmt25-f")[1],
        "characters": setting.alpha(alpha("character", False), "alpha-characters"),
        "marks": setting.alpha(alpha("mark", False), "alpha-unitizing"),
        "categories": setting.alpha(
            alpha("mark", True), "alpha-unitizing", labels="categories"
        ),
        "has_error": setting.alpha(has_error, "alpha", of="has-error"),
        "equal": number(share.with_signature(signed)),
    }


def _f(
    setting: Setting, compared: Compared, reason: str, statistic: str, **parts: str
) -> tuple[Jackknifed, Number]:
    """Mean F of some judges: with its replicates, and as a number."""
    pairs = setting.pairs(compared)
    f = mean_scores(pairs, setting.left)[2]
    return f, setting.score(f, pairs, reason, statistic, **parts)


# Metrics with people -----------------------------------------------------------------


def _metric(
    setting: Setting, name: str, human: Compared, rng: np.random.Generator
) -> Metric:
    study = setting.study
    predicted = study.metrics[name]
    pairs = setting.pairs(with_people(predicted, study.pages, mpp))
    precision, recall, f = mean_scores(pairs, setting.left)
    score = partial(setting.score, compared=pairs, reason=NO_PREDICTED, metric=name)
    by_character = with_people(predicted, study.pages, wmt25)
    read = np.array([marks is not None for marks in predicted], bool)
    ceiling, of_people = _f(setting, human.of_texts(read), NO_PAIR, "mpp-f", on=name)
    texts = np.unique(pairs.text).tolist()
    return {
        "name": name,
        "n_texts": len(texts),
        "n_marks": sum(len(predicted[text] or ()) for text in texts),
        "absent": study.unplaced[name, "absent"],
        "ambiguous": study.unplaced[name, "ambiguous"],
        "precision": score(precision, statistic="mpp-precision"),
        "recall": score(recall, statistic="mpp-recall"),
        "f": score(f, statistic="mpp-f"),
        "wmt25": _f(setting, by_character, NO_PREDICTED, "wmt25-f", metric=name)[1],
        "ceiling": of_people,
        "to_ceiling": setting.difference(
            f, ceiling, NO_PAIR, len(texts), metric=name, minus="people"
        ),
        "floors": _floors(setting, name, f, rng),
    }


def _floors(
    setting: Setting, name: str, f: Jackknifed, rng: np.random.Generator
) -> list[Floor]:
    """What two guesses reach, and how far the metric is above them."""
    study, times = setting.study, setting.options.guesses
    predicted = study.metrics[name]
    draws: dict[str, Callable[[], Guess]] = {
        "moved": lambda: floors.moved(predicted, study.texts, rng=rng),
        "other texts": lambda: floors.from_other_texts(
            predicted, study.pages, study.texts, rng=rng
        ),
    }
    guessed: list[Floor] = []
    for guess, draw in draws.items():
        compared = floors.compared(draw, study.pages, mpp, times=times)
        parts = {"metric": name, "guess": guess}
        floor, score = _f(setting, compared, NO_PREDICTED, "mpp-f", **parts)
        above = setting.difference(
            f, floor, NO_PREDICTED, compared.n_texts, metric=name, minus=guess
        )
        guessed.append({"name": guess, "f": score, "above": above})
    return guessed
