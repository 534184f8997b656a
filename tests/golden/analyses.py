"""What every analysis gives for a small made-up study: no change goes unseen.

    python -m tests.golden.analyses

writes them to `analyses.json` beside this file. Do so after you raised the VERSION of
the analyses whose results you meant to change, and read the difference before you keep
it. Numbers have eight significant digits: other machines round the last ones otherwise.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scoring import analyses
from scoring.stats.data import Data, System
from tests.scoring import made

FILE = Path(__file__).with_suffix(".json")
DIGITS = 8
# Beside the usual options, those that take other ways through the code. An analysis
# that is not here is computed with the usual ones.
CHOSEN: Mapping[str, list[dict[str, Any]]] = defaultdict(
    lambda: [{}],
    {
        "overview": [{}, {"with_discarded": True}],
        "answer": [{}, {"coefficient": "spearman", "grouping": "item"}],
        "replaces": [{}, {"epsilon": 0.2, "closeness": "equal"}],
        "agreement": [{}, {"level": "nominal", "with_discarded": True}],
        "correlations": [{}, {"level": "systems", "coefficients": ["kendall"]}],
        "comparison": [{}, {"level": "systems", "coefficient": "kendall"}],
        "drift": [{"repeats": 3}],
        "evaluators": [{"repeats": 3}],
        "variants": [{}],
        "systems": [{}],
        "saved": [{}, {"target": "texts", "share": 60}],
        "preferences": [{}, {"unit": "rater", "half_ties": True, "ridge": True}],
        "synthetic": [{}, {"resample": "samples", "n_batches": 2}],
        "diagnosis": [{}],
        "marked_errors": [{"most_texts": 1}],
    },
)
# Where six are too few for any number.
PROMPTS = {"answer": 14, "replaces": 14, "marked_errors": 14}


def study(prompts: int = 6) -> Data:
    """With people among the systems, votes, seeds, evaluators and a second run."""
    data = made.data(prompts=prompts, systems=3, votes=40, seeds=3, seed=5)
    second = made.output(
        "q0", metric="judge", variant="small", options='{"model": "small"}'
    )
    return replace(
        data,
        systems=[System("ann", "human"), *data.systems[1:]],
        outputs=[*data.outputs, replace(second, id="second:q0")],
        scores=np.hstack([data.scores, data.scores[:, :2].mean(axis=1, keepdims=True)]),
        negative_scores=data.negative_scores[:, [0, 1, 2, 0]],
    )


def results(name: str) -> list[Any]:
    """What an analysis gives for each of its options."""
    found = []
    data = study(PROMPTS.get(name, 6))
    data = made.by_reference_kind(data) if name == "references" else data
    data = made.with_marks(data) if name == "marked_errors" else data
    for chosen in CHOSEN[name]:
        result = analyses.run(name, data, analyses.options(name, chosen))
        del result["made_of"]  # names the data by their very last digits
        found.append(rounded(result))
    return found


def rounded(thing: Any) -> Any:
    """The same with fewer digits, as JSON gives it back."""
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [rounded(value) for value in thing]
    if isinstance(thing, float):
        return float(f"{thing:.{DIGITS}g}")
    return thing


def as_lines(thing: Any, inset: str = "") -> str:
    """JSON with a line for each cell: a difference shows which numbers changed."""
    parts = list(thing.values()) if isinstance(thing, dict) else thing
    if not isinstance(parts, list) or not any(
        isinstance(p, dict | list) for p in parts
    ):
        return json.dumps(thing, ensure_ascii=False)
    names = [f"{json.dumps(key)}: " for key in thing] if isinstance(thing, dict) else []
    inner = f"{inset} "
    lines = [
        f"{inner}{name}{as_lines(part, inner)}"
        for name, part in zip(names or [""] * len(parts), parts, strict=True)
    ]
    begin, end = "{}" if names else "[]"
    return "\n".join([begin, ",\n".join(lines), inset + end])


def main() -> None:
    found = {
        name: {"version": analyses.get(name).VERSION, "results": results(name)}
        for name in analyses.names()
    }
    FILE.write_text(f"{as_lines(found)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
