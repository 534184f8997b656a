"""Train all trained metrics; hold them against held-out text, and against people.

python -m benchmarks.trained_metrics NAME --data DATA [--work FOLDER]
python -m benchmarks.trained_metrics report --data DATA

NAME is one of the experiments below, or `all`. Each keeps its checkpoint and its result
in FOLDER and continues where it was stopped; one that is finished is not done again.
`report` scores the texts that people rated with every checkpoint there is, and prints
tables in markdown. DATA holds what `benchmarks/trained_data.py` reads.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from annotation.perturbations import _inflection
from benchmarks import trained_bleurt, trained_data
from benchmarks.trained_damages import families, fresh, rng_of
from scoring.metrics import Example, get
from scoring.metrics._engine import models
from scoring.metrics._learning import corruptions
from scoring.metrics._learning.training import MODEL, Step, TrainingData
from scoring.stats import pickup

READS_ORDER = "bundled:causal-small"  # knows the order of words, as it predicts them
KNOWS_WORDS = "bundled:encoder-small"
MOST_SECONDS = 900.0  # of scoring a test set: what is not scored by then is left out
# Where an encoder is given that knows more, as MiniLM does: fewer texts, smaller steps.
KNOWS_MORE = {
    "coherence": {"texts": 6000, "rate": 1e-4},
    "union": {"texts": 2600, "rate": 1e-4, "batch": 10, "places": 8},
}
GAMMAS = (0.0, 0.5, 1.0, 2.0)

Result = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Bench:
    """Where texts come from, and where results go."""

    data: Path
    work: Path
    encoder: str = ""  # for coherence and UNION, in place of the bundled one

    def trained(
        self, name: str, metric: str, data: TrainingData, **options: Any
    ) -> Result:
        """Train, or continue; what the checkpoint's card says, in short."""
        folder = self.work / name
        data = dataclasses.replace(data, evaluated=trained_data.evaluated(self.data))
        began = time.process_time()
        get(metric).train(data, folder, _told(name), **options)  # type: ignore[attr-defined]
        card = json.loads((folder / MODEL / "training.json").read_text())
        return {
            "metric": metric,
            "options": {k: str(v) for k, v in options.items()},
            "data": {k: v for k, v in card["data"].items() if not isinstance(v, list)},
            "steps": card["steps"],
            "seconds": card["seconds"],
            "processor_seconds": round(time.process_time() - began, 1),
            "parameters": card["parameters"],
            "precision": card["precision"],
            "held_out_losses": [row.get("held_out") for row in card["log"]],
            "figures": card["figures"],
        }

    def scorer(self, name: str, metric: str, **options: Any) -> Any:
        return get(metric)(model=str(self.work / name / MODEL), **options).load("cpu")


def sentiment(bench: Bench) -> Result:
    """DisScore, attribute: the official test split after training on the other one."""
    rows = trained_data.reviews(bench.data, "train")
    data = TrainingData(rows.texts, rows.labels)
    found = bench.trained(
        *("sentiment", "disscore", data),
        aspect="attribute",
        attribute="sentiment",
        base=KNOWS_WORDS,
        texts=6000,
        epochs=1.0,
        max_tokens=160,
    )
    test = trained_data.reviews(bench.data, "test")
    scorer = bench.scorer("sentiment", "disscore", aspect="attribute")
    order = np.random.default_rng(0).permutation(len(test.texts))
    right: list[float] = []
    began = time.monotonic()
    for start in range(0, len(order), 500):
        if time.monotonic() - began > MOST_SECONDS:
            break
        part = [
            Example(test.texts[k], label=test.labels[k]) for k in order[start:][:500]
        ]
        right += list(scorer(part).values["attribute_relevance"])
    shares = np.array(right)
    scored = ~np.isnan(shares)
    return found | {
        "test": {
            "accuracy": float((shares[scored] > 0.5).mean()),
            "n": int(scored.sum()),
            "of": len(order),
            "known from training": int((~scored).sum()),
            "seconds": round(time.monotonic() - began, 1),
        }
    }


def topic(bench: Bench) -> Result:
    """DisScore, attribute: four topics of newsgroups."""
    rows = trained_data.messages(bench.data)
    return bench.trained(
        *("topic", "disscore", TrainingData(rows.texts, rows.labels)),
        aspect="attribute",
        attribute="topic",
        base=KNOWS_WORDS,
        texts=4000,
        epochs=1.0,
        max_tokens=128,
    )


def coherence(bench: Bench) -> Result:
    """DisScore, coherence: people's reviews against damaged ones."""
    found = bench.trained(
        *("coherence", "disscore", _reviews(bench)),
        aspect="coherence",
        epochs=1.0,
        max_tokens=96,
        **_begun_with(bench, "coherence", texts=12_000),
    )
    scorer = bench.scorer("coherence", "disscore", aspect="coherence")
    trained_on = get("disscore").training(aspect="coherence").chosen()  # type: ignore[attr-defined]
    return found | {"families": families(bench.data, scorer, "coherence", trained_on)}


def consistency(bench: Bench) -> Result:
    """DisScore, consistency: what follows a prefix against what follows others."""
    return bench.trained(
        *("consistency", "disscore", _reviews(bench)),
        aspect="consistency",
        base=KNOWS_WORDS,
        texts=3000,
        epochs=1.0,
        max_tokens=128,
    )


def union(bench: Bench) -> Result:
    """UNION: people's reviews against those with its four errors."""
    found = bench.trained(
        *("union", "union", _reviews(bench)),
        epochs=1.0,
        max_tokens=96,
        **_begun_with(bench, "union", texts=5000, batch=20),
    )
    scorer = bench.scorer("union", "union")
    trained_on = ("repeat", "shuffle", "negate")
    return found | {"families": families(bench.data, scorer, "union", trained_on)}


def argent(bench: Bench) -> Result:
    """ARGENT: shuffling, labels by count."""
    found = bench.trained(
        *("argent", "argent", _reviews(bench)),
        method="shuffle",
        labels="count",
        base=READS_ORDER,
        texts=4000,
        epochs=3.0,
        max_tokens=100,
    )
    scorer = bench.scorer("argent", "argent")
    texts = fresh(bench.data)
    damaged = [
        corruptions.corrupt(text, [("shuffle", 0.8)], rng_of(k, 1))
        for k, text in enumerate(texts)
    ]
    real = scorer([Example(text) for text in texts]).values["quality"]
    quality = scorer([Example(one.text) for one in damaged]).values["quality"]
    every = [Example(_all_shuffled(text, rng_of(k, 3))) for k, text in enumerate(texts)]
    true = np.array([one.score for one in damaged])
    known = ~np.isnan(quality + real)
    return found | {
        "test": {
            "n": int(known.sum()),
            "pearson": float(np.corrcoef(quality[known], true[known])[0, 1]),
            "pick-up area, rates from 0 to .8": _area(real, quality),
            "pick-up area, rate .8": _area(real, scorer(every).values["quality"]),
        },
        "families": families(
            bench.data, scorer, "quality", ("words shuffled locally",)
        ),
    }


def _all_shuffled(text: str, rng: np.random.Generator) -> str:
    """Four of five windows, whichever text it is."""
    tokens = _inflection.tokenized(text)
    return corruptions.shuffle_locally(tokens, 0.8, rng).text


def _area(real: np.ndarray, damaged: np.ndarray) -> float | None:
    """The mean of ten batches of 10 real and 90 damaged texts."""
    kinds = np.arange(len(real) + len(damaged)) < len(real)
    scores = np.append(real, damaged)
    return pickup.batches(scores, kinds, rng=np.random.default_rng(0)).area


def bleurt(bench: Bench) -> Result:
    """BLEURT: pre-trained on reviews, fine-tuned on ratings of dialogues."""
    return bench.trained(
        "bleurt",
        "bleurt",
        dataclasses.replace(_reviews(bench), rated=trained_data.dialogues(bench.data)),
        base=KNOWS_WORDS,
        texts=2000,
        pretrain_epochs=1.0,
        epochs=8.0,
        batch=16,
        max_tokens=96,
        held_out=0.3,
    )


def generative_cdm(bench: Bench, gamma: float) -> Result:
    """Generative CDM: a discriminator of what p_n writes, for one gamma."""
    rows = trained_data.reviews(bench.data, "train").texts
    texts = rows[len(rows) // 2 :][:400] + rows[:400]
    return bench.trained(
        f"cdm_{gamma:g}",
        "generative_cdm",
        TrainingData([" ".join(text.split()[:150]) for text in texts]),
        gamma=gamma,
        base=KNOWS_WORDS,
        epochs=1.5,
        max_tokens=200,
        max_new_tokens=40,
        held_out=0.2,
    )


def killed(bench: Bench) -> Result:
    """The same training in one go, again, and killed twice, in other processes."""
    hashes, losses, at = {}, {}, []
    for name, kills in (("whole", ()), ("again", ()), ("killed", (30, 75))):
        folder = bench.work / f"kill_{name}"
        for step in (*kills, None):
            ended = _in_a_process(bench, folder, step)
            if step:
                at.append(ended)
        card = json.loads((folder / MODEL / "training.json").read_text())
        losses[name] = [row["held_out"] for row in card["log"]]
        hashes[name] = _hash(folder / MODEL)
    return {
        "steps": card["steps"],
        "killed at": at,
        "hashes": hashes,
        "losses": losses,
        "same": len(set(hashes.values())) == 1,
        "same_curve": losses["whole"] == losses["again"] == losses["killed"],
    }


def small_training(bench: Bench, folder: Path) -> None:
    """What `killed` does again and again: coherence on a few reviews."""
    from scoring.metrics._learning import fitting

    fitting.SAVE_SECONDS = 2.0
    data = TrainingData(_reviews(bench).texts[::50])
    get("disscore").train(  # type: ignore[attr-defined]
        *(data, folder, _told("small", every=0.0)),
        base=KNOWS_WORDS,
        epochs=2.0,
        max_tokens=64,
        batch=16,
    )


def _in_a_process(bench: Bench, folder: Path, least: int | None) -> str:
    """Train to the end, or kill it after that step. The last that it told."""
    arguments = ["small", "--data", str(bench.data), "--work", str(bench.work)]
    process = subprocess.Popen(
        [sys.executable, "-m", __spec__.name, *arguments, "--folder", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    where = ""
    for line in process.stdout:
        if not line.startswith("small: training "):
            continue
        where = line.split()[2]
        if least and int(where.partition("/")[0]) >= least:
            process.send_signal(signal.SIGKILL)
            break
    if process.wait() != (-signal.SIGKILL if least else 0):
        raise RuntimeError(f"the training ended with {process.returncode} at {where}")
    return where


def _hash(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _begun_with(bench: Bench, name: str, **usual: Any) -> dict[str, Any]:
    if bench.encoder:
        return {"base": bench.encoder, **KNOWS_MORE[name]}
    return {"base": READS_ORDER, **usual}


def _reviews(bench: Bench) -> TrainingData:
    return TrainingData(trained_data.reviews(bench.data, "train").texts)


def _told(name: str, every: float = 15.0) -> Callable[[Step], None]:
    last = [0.0]

    def told(step: Step) -> None:
        if time.monotonic() - last[0] > every or step.step == step.steps:
            last[0] = time.monotonic()
            print(
                f"{name}: {step.stage} {step.step}/{step.steps} {step.loss}", flush=True
            )

    return told


EXPERIMENTS: dict[str, Callable[[Bench], Result]] = {
    "sentiment": sentiment,
    "topic": topic,
    "coherence": coherence,
    "consistency": consistency,
    "union": union,
    "argent": argent,
    "bleurt": bleurt,
    **trained_bleurt.experiments(_reviews, KNOWS_WORDS),
    **{
        f"cdm_{gamma:g}": lambda bench, gamma=gamma: generative_cdm(bench, gamma)
        for gamma in GAMMAS
    },
    "killed": killed,
}


def done(bench: Bench, name: str) -> Result:
    """The result of an experiment, which is done where it is not there."""
    path = bench.work / f"{name}.json"
    if not path.exists():
        print(f"{name}: begins", flush=True)
        found = EXPERIMENTS[name](bench)
        found["date"] = f"{datetime.now(UTC):%Y-%m-%d}"
        found["load"] = os.getloadavg()[2]
        path.write_text(json.dumps(found, indent=1) + "\n")
    return json.loads(path.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=[*EXPERIMENTS, "all", "report", "small"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("var/trained_metrics"))
    parser.add_argument("--encoder", default="", help="for coherence and union")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    bench = Bench(given.data, given.work, given.encoder)
    bench.work.mkdir(parents=True, exist_ok=True)
    models.limit_threads(1)
    if given.name == "small":
        small_training(bench, given.folder)
    elif given.name == "report":
        from benchmarks.trained_report import report

        print(report(bench))
    else:
        for name in EXPERIMENTS if given.name == "all" else [given.name]:
            print(json.dumps(done(bench, name), indent=1))


if __name__ == "__main__":
    main()
