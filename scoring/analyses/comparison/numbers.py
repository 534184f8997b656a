"""Is one metric better than another, by how much, and where do they disagree?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scoring.analyses.comparison.result import (
    AgainstPeople,
    Pair,
    Pairs,
    RankedByPeople,
    RankedText,
    Result,
    Text,
    Texts,
)
from scoring.analyses.comparison.two import SWAPS, Two, rows
from scoring.analyses.shared import setting
from scoring.analyses.shared.setting import Correlating, Setting
from scoring.stats import disagreement
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import NONE, Data
from scoring.stats.option import option
from scoring.stats.permutation import POPULATION

TITLE = "Compare two metrics"
VERSION = 7
PLACE = 30
GROUP = "Metrics"
NEEDS = frozenset({"ratings", "scores"})
FEWER = "the study has fewer than two metrics"


@dataclass(frozen=True)
class Options(Correlating):
    """Which two metrics, on which aspects."""

    first: str = option(
        "", "First metric", of="outputs", none="the one closest to people"
    )
    second: str = option(
        "",
        "Second metric",
        of="outputs",
        none="the next closest to people",
    )
    aspects: tuple[str, ...] = option((), "Aspects", of="aspects")
    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")
    design: str = option(
        "inputs",
        "The permutation test swaps the scores",
        choices=(
            ("inputs", "of all texts of a prompt together"),
            ("both", "of each text separately, as if no two shared a prompt"),
            ("systems", "of all texts of a system together"),
        ),
        help="The last choice is for new systems, the others for these",
    )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Values, differences and tests for each aspect, and where the two disagree."""
    made = setting.setting(options.apply(data), options, rng)
    data = made.data
    keys = [aspect.key for aspect in data.aspects]
    wanted = [at for at, key in enumerate(keys) if key in options.aspects]
    aspects = wanted or list(range(len(keys)))
    about: Result = {
        **made.about(),
        "coefficient": options.coefficient,
        "design": options.design,
        "population": POPULATION[options.design],
        "swaps": SWAPS,
        "asked": bool(options.first and options.second),
        "aspects": [
            {"key": keys[at], "title": data.aspects[at].title} for at in aspects
        ],
        "reason": "",
        "outputs": [],
        "rows": [],
    }
    chosen = _chosen(made, options, aspects)
    if chosen is None or not aspects:
        reason = FEWER if chosen is None else "the study has no aspect"
        return {**about, "reason": reason}
    x = made.x[:, chosen]
    x = np.where(np.isnan(x).any(axis=1, keepdims=True), np.nan, x)
    two = Two(made, options.coefficient, x, chosen, aspects)
    alike = data.of_one_level(np.isfinite(made.y[:, aspects]).any(axis=1))
    ranked = replace(two, x=np.where(alike[:, np.newaxis], x, np.nan))
    return {
        **about,
        "outputs": [
            setting.about_output(data.outputs[place], place, data.aspects)
            for place in chosen
        ],
        "rows": rows(two, options.design, rng),
        "texts": _texts(ranked),
        "against_people": [_against_people(two, k) for k in range(len(chosen))],
        "pairs": _pairs(two),
    }


def _chosen(
    made: Setting, options: Options, aspects: list[int]
) -> tuple[int, int] | None:
    """Places of the two metrics: those asked for, else those closest to people."""
    ids = [output.id for output in made.data.outputs]
    if len(ids) < 2:
        return None
    found = [ids.index(one) for one in (options.first, options.second) if one in ids]
    if len(found) == 2 and found[0] != found[1]:
        return found[0], found[1]
    best = [place for place in _by_value(made, options, aspects) if place not in found]
    if options.first not in ids and options.second in ids:
        return best[0], found[0]
    first, second, *_ = [*found[:1], *best]
    return first, second


def _by_value(made: Setting, options: Options, aspects: list[int]) -> list[int]:
    """Outputs by their mean coefficient, best first.

    Then lengths, and last those of which neither end is better: their sign says
    nothing.
    """

    def order(place: int) -> tuple[bool, bool, float, int]:
        values = [
            made.value(options.coefficient, made.x[:, place], made.y[:, at]).value
            for at in aspects
        ]
        known = [value for value in values if value is not None]
        mean = float(np.mean(known)) if known else -np.inf
        output = made.data.outputs[place]
        return output.higher_is_better is None, output.baseline, -mean, place

    return sorted(range(len(made.data.outputs)), key=order)


# Where they disagree -----------------------------------------------------------------


def _texts(two: Two) -> Texts:
    """Texts that they rank most differently, with what people say."""
    found = disagreement.texts(two.x[:, 0], two.x[:, 1])
    data = two.made.data
    means, n = data.human_means()
    ranks = [disagreement.standardised_ranks(two.made.y[:, at]) for at in two.aspects]
    rows: list[RankedText] = [
        {
            **_text(data, row),
            "first": 100 * found.first[row],
            "second": 100 * found.second[row],
            "people": [
                {"mean": means[row, at], "rank": 100 * rank[row], "n": n[row, at]}
                for at, rank in zip(two.aspects, ranks, strict=True)
            ],
        }
        for row in found.rows.tolist()
    ]
    first, second = (data.outputs[place].id for place in two.outputs)
    signed = two.made.signature(
        "standardised rank",
        n=found.n,
        first=first,
        second=second,
        **dict.fromkeys(("group", "average", "undefined", "interval", "unit", "seed")),
    )
    return {"n": found.n, "signature": signed, "rows": rows}


def _against_people(two: Two, k: int) -> AgainstPeople:
    """The texts that one of the metrics and people rank most differently."""
    data, output = two.made.data, two.made.data.outputs[two.outputs[k]]
    meant = [at for at in two.aspects if data.aspects[at].key == output.measures]
    at = (meant or two.aspects)[0]
    found = disagreement.texts(two.x[:, k], two.made.y[:, at])
    means, n = data.human_means()
    rows: list[RankedByPeople] = [
        {
            **_text(data, row),
            "metric": 100 * found.first[row],
            "people": 100 * found.second[row],
            "mean": means[row, at],
            "n_ratings": n[row, at],
            "difference": 100 * (found.first[row] - found.second[row]),
        }
        for row in found.rows.tolist()
    ]
    return {"aspect": data.aspects[at].title, "n": found.n, "rows": rows}


def _pairs(two: Two) -> Pairs:
    """Two texts of a prompt that the metrics order differently, and people do order."""
    data, at = two.made.data, two.aspects[0]
    y = two.made.y[:, at]
    alike = data.of_one_level(np.isfinite(y))[:, np.newaxis]
    ranked = disagreement.texts(*np.where(alike, two.x, np.nan).T)
    found = disagreement.pairs(ranked.first, ranked.second, y, data.texts.prompt)
    means, _ = data.human_means()
    rows: list[Pair] = [
        {
            "better": {**_text(data, pair.better), "mean": means[pair.better, at]},
            "worse": {**_text(data, pair.worse), "mean": means[pair.worse, at]},
            "first_right": pair.first_right,
            "apart": 100 * pair.apart,
        }
        for pair in found
    ]
    return {"aspect": data.aspects[at].title, "rows": rows}


def _text(data: Data, row: int) -> Text:
    system = data.texts.system[row]
    return {
        "key": str(data.texts.key[row]),
        "system": "" if system == NONE else data.systems[system].name,
        "prompt": int(data.texts.prompt[row]) + 1,
    }
