"""Tables of what `benchmarks.trained_metrics` found, in markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import trained_bleurt, trained_data
from scoring.metrics._learning.training import MODEL
from scoring.stats.correlation import Coefficient, kendall, pearson, spearman

if TYPE_CHECKING:
    from benchmarks.trained_metrics import Bench

COEFFICIENTS: tuple[Callable[..., Coefficient], ...] = (pearson, spearman, kendall)
# Ke et al. (2022), tables 3 and 4, sentiment: Pearson, Spearman, Kendall.
PAPER = {
    "coherence": {
        "DisScore": (0.2938, 0.2329, 0.1664),
        "UNION": (0.2317, 0.2571, 0.1836),
        "BLEURT": (0.2585, 0.2606, 0.1850),
        "CTRLEval": (0.4395, 0.4208, 0.3044),
    },
    "consistency": {
        "DisScore": (0.2010, 0.1662, 0.1178),
        "UNION": (0.1925, 0.1422, 0.1009),
        "BLEURT": (0.2382, 0.2012, 0.1445),
        "CTRLEval": (0.3226, 0.3096, 0.2235),
    },
    "attribute-relevance": {
        "DisScore": (0.2213, 0.2914, 0.2068),
        "UNION": (-0.0133, -0.0324, -0.0219),
        "BLEURT": (0.0801, 0.0652, 0.0467),
        "CTRLEval": (0.2861, 0.3008, 0.2111),
    },
}
NAMES = {
    "sentiment": "DisScore, sentiment",
    "topic": "DisScore, topic",
    "coherence": "DisScore, coherence",
    "consistency": "DisScore, consistency",
    "union": "UNION",
    "argent": "ARGENT",
    "bleurt": "BLEURT",
    **trained_bleurt.NAMES,
    "cdm_0": "CDM, gamma 0",
    "cdm_0.5": "CDM, gamma 0.5",
    "cdm_1": "CDM, gamma 1",
    "cdm_2": "CDM, gamma 2",
}
# Checkpoint, its metric, options.
SCORED: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("coherence", "disscore", {"aspect": "coherence"}),
    ("consistency", "disscore", {"aspect": "consistency"}),
    ("sentiment", "disscore", {"aspect": "attribute"}),
    ("union", "union", {}),
    ("argent", "argent", {}),
    ("bleurt", "bleurt", {}),
    *((name, "bleurt", {}) for name in trained_bleurt.TRAINED),
    *((f"cdm_{gamma}", "generative_cdm", {}) for gamma in ("0", "0.5", "1", "2")),
)


def report(bench: Bench) -> str:
    """Everything there is, as markdown."""
    found = {
        path.stem: json.loads(path.read_text()) for path in bench.work.glob("*.json")
    }
    parts = [
        trainings(found),
        families(found),
        gammas(found),
        people(bench, scores(bench)),
    ]
    if "killed" in found:
        parts.append(again(found["killed"]))
    return "\n\n".join(part for part in parts if part)


def trainings(found: dict[str, Any]) -> str:
    """A row for each training."""
    rows = []
    for name, one in sorted(found.items()):
        if "figures" not in one:
            continue
        options, data, figures = one["options"], one["data"], one["figures"]
        said = ", ".join(
            f"{key} {_number(figures[key])}"
            for key in ("accuracy", "majority", "auc", "auc_of_length", "pearson")
            if isinstance(figures.get(key), float)
        )
        test = ", ".join(f"{k} {_number(v)}" for k, v in one.get("test", {}).items())
        # Cross-fitted on ratings alone, all are learned from, by some of the folds.
        left = data["drawn"] - data["empty"] - data["overlapping"] or data["rated"]
        rows.append(
            (
                NAMES[name],
                _base(options["base"]),
                f"{left - data['held_out']:,}",
                f"{one['steps']:,}",
                f"{one['seconds'] / 60:.1f}",
                f"n {figures['n']}: {said}",
                test or "—",
            )
        )
    head = "name|encoder|texts learned|steps|minutes|held-out documents|fresh texts"
    return "## Trainings\n\n" + _table(head.split("|"), rows)


def _base(path: str) -> str:
    """Where a training began: a bundled encoder, a folder, or another training."""
    name = Path(path).parent.name
    return NAMES.get(name, path.removeprefix("bundled:"))


def families(found: dict[str, Any]) -> str:
    """AUC of fresh reviews against damaged ones; what was trained on is marked."""
    own = {name: one["families"] for name, one in found.items() if "families" in one}
    if not own:
        return ""
    kinds = list(dict.fromkeys(kind for one in own.values() for kind in one))
    rows = []
    for kind in kinds:
        first = next(one[kind] for one in own.values() if kind in one)
        cells = [
            _number(one[kind]["auc"]) + (" *" if one[kind]["trained on"] else "")
            for one in own.values()
        ]
        rows.append((kind, str(first["n"]), *cells, _number(first["auc of length"])))
    head = ("damage", "n", *(NAMES[name] for name in own), "length alone")
    return "## Damage of each kind\n\n" + _table(head, rows)


def gammas(found: dict[str, Any]) -> str:
    """What p_n writes for each gamma."""
    rows = []
    for name in ("cdm_0", "cdm_0.5", "cdm_1", "cdm_2"):
        if name not in found:
            continue
        figures = found[name]["figures"]
        written = figures["regenerated"]
        rows.append(
            (
                name.removeprefix("cdm_"),
                *(_number(value) for value in written.values()),
                str(figures["n"]),
                _number(figures["auc"]),
                _number(figures["auc_of_length"]),
            )
        )
    if not rows:
        return ""
    head = ("gamma", *written, "held out", "AUC", "AUC of length")
    return "## Generative CDM\n\n" + _table(head, rows)


def scores(bench: Bench) -> dict[str, dict[str, np.ndarray]]:
    """By set of texts and name of the checkpoint. Kept in the folder."""
    sets = {
        "ctrleval": trained_data.ctrleval(bench.data).examples,
        "mans": trained_data.mans(bench.data).examples,
    }
    found: dict[str, dict[str, np.ndarray]] = {name: {} for name in sets}
    for name, metric, options in SCORED:
        if not (bench.work / name / MODEL).is_dir():
            continue
        for which, examples in sets.items():
            if which == "mans" and name == "sentiment":
                continue  # its texts have no labels
            if metric == "bleurt" and (which == "mans") != (name == "bleurt"):
                continue  # these have no references, and those are not cross-fitted
            path = bench.work / f"scores_{which}_{name}.npy"
            if not path.exists():
                scored = bench.scorer(name, metric, **options)(examples)
                np.save(path, next(iter(scored.values.values())))
            found[which][name] = np.load(path)
    return found


def people(bench: Bench, scored: dict[str, dict[str, np.ndarray]]) -> str:
    """Correlations with people, per text, beside the paper's rows."""
    parts = []
    humans = {
        "ctrleval": "CTRLEval's sentiment texts (360)",
        "mans": "OpenMEVA, stories (1000)",
    }
    for which, title in humans.items():
        judged = getattr(trained_data, which)(bench.data)
        rows: list[Sequence[str]] = []
        for aspect, human in judged.human.items():
            for name, values in scored[which].items():
                if trained_bleurt.TRAINED.get(name, (aspect,))[0] != aspect:
                    continue  # it learned another aspect
                cells = [_number(c(values, human).value) for c in COEFFICIENTS]
                n = int((~np.isnan(values)).sum())
                rows.append((aspect, NAMES[name], *cells, str(n)))
            words = np.array([len(e.text.split()) for e in judged.examples], float)
            cells = [_number(c(words, human).value) for c in COEFFICIENTS]
            rows.append((aspect, "length in words", *cells, str(len(words))))
            for name, values in PAPER.get(aspect, {}).items():
                rows.append((aspect, f"{name}, paper", *map(_number, values), "360"))
        head = ("aspect", "metric", "Pearson", "Spearman", "Kendall", "n")
        parts.append(f"## {title}\n\n{_table(head, rows)}")
    return "\n\n".join(parts)


def again(one: dict[str, Any]) -> str:
    """Whether the same seed gave the same weights."""
    rows = [
        (name, value, " ".join(f"{loss:.4f}" for loss in one["losses"][name][::5]))
        for name, value in one["hashes"].items()
    ]
    return "## The same seed\n\n" + _table(
        ("training", "hash of the weights", "held-out loss, every fifth look"), rows
    )


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
