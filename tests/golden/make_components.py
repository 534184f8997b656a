"""Asks GeneralizIT for variance components of unbalanced ratings.

    python tests/golden/make_components.py tests/golden/components.json

needs `pip install generalizit==0.1.2`. GeneralizIT rounds what it computes to four
digits at every step, which is switched off here. Tests read the numbers alone.
"""

import json
import sys
from importlib.metadata import version

import generalizit.design as engine
import numpy as np
import pandas as pd
from generalizit import GeneralizIT

SYSTEM, PROMPT, TEXT, RATER = "system", "prompt", "text", "rater"
EFFECTS = {
    "system": (SYSTEM,),
    "prompt": (PROMPT,),
    "system x prompt": (SYSTEM, PROMPT),
    "text": (TEXT,),
    "rater": (RATER,),
    "rater x system": (RATER, SYSTEM),
    "rater x prompt": (RATER, PROMPT),
}


def rated(
    rng: np.random.Generator,
    *,
    deviations: dict[str, float],
    prompts: int = 14,
    systems: int = 3,
    texts: int = 2,
    raters: int = 7,
    each: int = 3,
    lost: float = 0.15,
) -> dict[str, list[float]]:
    """Ratings as columns: raters drawn for each page, some ratings missing."""
    drawn: dict[tuple[str, ...], float] = {}

    def effect(name: str, *levels: int) -> float:
        key = name, *map(str, levels)
        if key not in drawn:
            drawn[key] = float(rng.normal(0, deviations.get(name, 0.0)))
        return drawn[key]

    rows = []
    for p in range(prompts):
        for t in range(texts):
            for r in rng.choice(raters, each, replace=False):
                for s in range(systems):
                    value = 3 + effect("system", s) + effect("prompt", p)
                    value += effect("system x prompt", s, p) + effect("text", s, p, t)
                    value += effect("rater", r) + effect("rater x system", r, s)
                    value += effect("rater x prompt", r, p)
                    value += rng.normal(0, deviations["residual"])
                    if rng.random() >= lost:
                        text = (p * systems + s) * texts + t
                        rows.append((round(value, 2), s, p, text, int(r)))
    names = ("value", SYSTEM, PROMPT, TEXT, RATER)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def by_generalizit(
    data: dict[str, list[float]], effects: list[str]
) -> dict[str, float]:
    frame = pd.DataFrame(data)
    frame["one"] = range(len(frame))
    design = {name: EFFECTS[name] for name in effects}
    # The residual is what single ratings differ by.
    design |= {"residual": ("one",), "mean": ()}
    found = GeneralizIT(frame, "", "value", variance_tuple_dictionary=design)
    found.calculate_anova()
    variances = found.design.anova_table["Variance"]
    return {name: float(variances[name]) for name in (*effects, "residual")}


def switch_off_rounding() -> None:
    engine.round = lambda number, digits: number
    engine.pd.DataFrame.round = lambda frame, digits: frame
    engine.np.round = lambda numbers, digits: numbers


def main() -> None:
    rng = np.random.default_rng(20)
    every = dict.fromkeys(EFFECTS, 0.5) | {"residual": 0.7}
    crossed = [name for name in EFFECTS if name != "system x prompt"]
    plain = ["system", "prompt", "text"]
    sets = {
        "nested and crossed": (rated(rng, deviations=every), list(EFFECTS)),
        "one text each": (
            rated(rng, deviations=every | {"text": 0.8}, texts=1, prompts=24),
            crossed,
        ),
        "without raters": (
            rated(rng, deviations=every, texts=1, prompts=30, lost=0.3),
            plain,
        ),
        "a variance of 0": (
            rated(rng, deviations=every | {"rater x system": 0.0, "prompt": 0.1}),
            list(EFFECTS),
        ),
    }
    switch_off_rounding()
    found = {
        name: {
            "ratings": data,
            "generalizit": by_generalizit(data, effects),
        }
        for name, (data, effects) in sets.items()
    }
    made = {"generalizit": version("generalizit")}
    with open(sys.argv[1], "w") as out:
        json.dump({"made with": made, **found}, out)
        out.write("\n")


if __name__ == "__main__":
    main()
