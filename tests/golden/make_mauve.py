"""Asks mauve-text how far the sample texts of two systems are apart.

    PYTHONPATH=. python tests/golden/make_mauve.py

prints mauve.json. Tests read the numbers alone.
"""

import itertools
import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import mauve

from scoring.metrics._engine import models
from tests.scoring.metrics import sample

SYSTEMS = ("plain", "rambling", "drifting", "broken")
NUMBERS = ("mauve", "mauve_star", "frontier_integral", "frontier_integral_star")
WITH = ("faiss-cpu", "torch", "transformers")
CLUSTERS = ("auto", 4, 6)
ASKED = (
    "mauve.compute_mauve(p_text=p, q_text=q, featurize_model_name=folder,"
    " num_buckets=clusters, max_text_length=512, use_float64=True)"
)


def cases(folder: str) -> Iterator[dict[str, object]]:
    pairs = itertools.combinations(SYSTEMS, 2)
    for (human, system), clusters in itertools.product(pairs, CLUSTERS):
        known = {"mauve": mauve, "folder": folder, "clusters": clusters}
        known |= {"p": sample.of(human), "q": sample.of(system)}
        found = eval(ASKED, known)
        yield {
            "p": human,
            "q": system,
            "clusters": found.num_buckets,
            "p_counts": (found.p_hist * len(known["p"])).round().astype(int).tolist(),
            "q_counts": (found.q_hist * len(known["q"])).round().astype(int).tolist(),
            **{name: float(getattr(found, name)) for name in NUMBERS},
        }


def main() -> None:
    made_by = {
        "program": f"mauve-text {version('mauve-text')}",
        "with": ", ".join(f"{name} {version(name)}" for name in WITH),
        "command": f"PYTHONPATH=. python {sys.argv[0]}",
        "asked": ASKED,
        "folder": "bundled:encoder-small under a name with bert: no other is taken",
        "clusters": f"{CLUSTERS}: auto is 2 of 24 texts each",
    }
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "bert"
        folder.symlink_to(models.find("bundled:encoder-small"))
        found = ",\n  ".join(map(json.dumps, cases(str(folder))))
    print(f'{{\n "made_by": {json.dumps(made_by)},\n "cases": [\n  {found}\n ]\n}}')


if __name__ == "__main__":
    main()
