"""Score texts from the command line, without the site.

python -m scoring.metrics                      lists the metrics
python -m scoring.metrics NAME --help          lists a metric's options
python -m scoring.metrics check NAME ...       checks that a metric keeps its contract
python -m scoring.metrics convert MODEL OUT    makes a published model ready to load
python -m scoring.metrics iwf ...              makes CTRLEval's table for a tokenizer
python -m scoring.metrics probe ...            fits a probe of CDM to human ratings
python -m scoring.metrics steps ...            has an LLM judge write evaluation steps
python -m scoring.metrics NAME ... < in.jsonl > out.jsonl

An option that is a text may be @FILE: then it is what the file says.

Each line of the input is an object with "text" and, where the metric needs them,
"prefix", "label", "source", "references", "targeted" (the text as people corrected it),
"sentences"; "id" is copied to the output.
Metrics of whole systems give one line for each "system". A score that does not exist
is null, and "reasons" says why. A line of --corpus is a human text; with
"log_probability:SYSTEM" it tells its log-probability under a system. The signature,
which makes the scores reproducible, goes to standard error.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import math
import sys
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.metrics import (
    LOG_PROBABILITY,
    Example,
    Metric,
    MetricError,
    OptionError,
    Output,
    Scores,
    SystemMetric,
    SystemScorer,
    SystemTexts,
    UnknownMetric,
    get,
    names,
)
from scoring.metrics._engine.arguments import add_options, made
from scoring.metrics._engine.lines import InputError, corpus_of, read

# The other commands, and the module whose main(arguments) runs each.
COMMANDS = {
    "check": "_check.checking",
    "convert": "_engine.converting",
    "iwf": "_ctrleval.iwf",
    "probe": "_cdm.fit_probe",
    "steps": "judge.steps",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0, or 2 for an error that the user can fix."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if not arguments or arguments[0] in ("-h", "--help"):
            print(__doc__ if arguments else _list())
        elif arguments[0] in COMMANDS:
            module = f"scoring.metrics.{COMMANDS[arguments[0]]}"
            return importlib.import_module(module).main(arguments[1:])
        else:
            _run(arguments[0], arguments[1:])
    except (InputError, MetricError, OptionError, UnknownMetric) as error:
        print(error.args[0], file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has closed the pipe; Python must not print an error.
        sys.stdout = None
    return 0


def _list() -> str:
    width = max(map(len, names()))
    return "\n".join(f"{name:{width}}  {get(name).title}" for name in names())


def _run(name: str, arguments: Sequence[str]) -> None:
    kind = get(name)
    given = _parser(name, kind).parse_args(arguments)
    metric = made(kind, vars(given))
    rows = list(read(sys.stdin.buffer))
    scorer: Any = metric.load(given.device)  # of texts, or of systems
    if "torch" in sys.modules:
        from scoring.metrics._engine import models

        models.limit_threads(given.threads)
    if isinstance(metric, SystemMetric):
        texts = corpus_of(given.corpus) if given.corpus else []
        compares = metric.compares
        scored = list(score_systems(scorer, rows, texts, given.seed, compares))
        results = [result for result, _ in scored]
        notes = tuple(dict.fromkeys(note for _, said in scored for note in said))
    else:
        scores = scorer([example for example, _ in rows], _bar(len(rows)))
        results, notes = list(_rows(metric.outputs, rows, scores)), scores.notes
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"signature: {scorer.signature}", file=sys.stderr)
    for result in results:
        print(json.dumps(result, ensure_ascii=False))


def _parser(name: str, kind: type[Metric] | type[SystemMetric]) -> Any:
    parser = argparse.ArgumentParser(
        prog=f"python -m scoring.metrics {name}",
        description=f"{kind.title}. {kind.source}. {kind.link}",
        allow_abbrev=False,
    )
    add_options(parser, kind)
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, mps")
    parser.add_argument(
        "--threads", type=int, default=0, help="cores to use (default all but one)"
    )
    parser.add_argument("--seed", type=int, default=0, help="for metrics of systems")
    parser.add_argument("--corpus", help="jsonl of human texts, for metrics of systems")
    return parser


def _rows(
    outputs: Sequence[Output],
    rows: Sequence[tuple[Example, Mapping[str, Any]]],
    scores: Scores,
) -> typing.Iterator[dict[str, object]]:
    """One object per text, in the order of the input."""
    for k, (_, row) in enumerate(rows):
        result: dict[str, object] = {"id": row["id"]} if "id" in row else {}
        for output in outputs:
            result[output.key] = _plain(scores.values[output.key][k])
        if scores.marked and (marked := scores.marked[k]):
            result["marks"] = [list(mark) for mark in marked.marks]
            result["without_place"] = [list(error[:2]) for error in marked.unplaced]
        reasons = {key: why[k] for key, why in scores.reasons.items() if why[k]}
        yield {**result, "reasons": reasons} if reasons else result


def score_systems(
    scorer: SystemScorer,
    rows: Sequence[tuple[Example, Mapping[str, Any]]],
    corpus: Sequence[tuple[str, Mapping[str, Any]]],
    seed: int,
    compares: bool = False,
) -> typing.Iterator[tuple[dict[str, object], tuple[str, ...]]]:
    """An object per system, and notes on it; texts without a system form one group.

    Where a metric uses random numbers, its value is the mean over seeds, with "sd" and
    "n".
    """
    systems: dict[Any, list[tuple[Example, Mapping[str, Any]]]] = {}
    for example, row in rows:
        systems.setdefault(row.get("system"), []).append((example, row))
    by_system = {name: _given(name, own, corpus) for name, own in systems.items()}
    for system, given in by_system.items():
        own = systems[system]
        if compares:
            others = [one for one in by_system.values() if one is not given]
            given = dataclasses.replace(given, others=tuple(others), seed=seed)
        found = scorer(given, np.random.default_rng(seed))
        result: dict[str, object] = {"system": system, "texts": len(own)}
        result |= {key: _of_seeds(values) for key, values in found.values.items()}
        if found.reasons:
            result["reasons"] = found.reasons
        if found.spread:
            result["spread"] = found.spread
        if found.details:
            result["details"] = found.details
        yield result, found.notes


def _given(
    system: Any,
    own: Sequence[tuple[Example, Mapping[str, Any]]],
    corpus: Sequence[tuple[str, Mapping[str, Any]]],
) -> SystemTexts:
    """Texts that have the same prefix, label and source answer one prompt."""
    name = "" if system is None else str(system)
    prompts = [(example.prefix, example.label, example.source) for example, _ in own]
    return SystemTexts(
        tuple(example.text for example, _ in own),
        tuple(text for text, _ in corpus),
        _numbers("log_probability", [row for _, row in own]),
        examples=tuple(example for example, _ in own),
        prompts=tuple("\x1f".join(one) if any(one) else "" for one in prompts),
        samples=tuple(int(row.get("sample", 1)) for _, row in own),
        corpus_log_probabilities=_numbers(
            f"{LOG_PROBABILITY}{name}", [row for _, row in corpus]
        ),
        name=name,
    )


def _numbers(key: str, rows: Sequence[Mapping[str, Any]]) -> tuple[float, ...]:
    """NaN where a row has none."""
    found = (row.get(key) for row in rows)
    return tuple(math.nan if value is None else float(value) for value in found)


def _of_seeds(values: np.ndarray) -> float | dict[str, object] | None:
    if len(values) == 1:
        return _plain(values[0])
    there = values[np.isfinite(values)]
    return {
        "mean": _plain(there.mean()) if len(there) else None,
        "sd": _plain(there.std(ddof=1)) if len(there) > 1 else None,
        "n": len(there),
    }


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _bar(total: int) -> Any:
    """Progress on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        return None
    from tqdm import tqdm

    return tqdm(total=total, unit="text", leave=False).update


if __name__ == "__main__":
    sys.exit(main())
