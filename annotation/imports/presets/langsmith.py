"""LangSmith: results of an experiment, as `to_pandas` and downloads of runs have them.

Columns inputs.*, outputs.*, reference.* and feedback.*. The output is the text, the
input its prompt. The file does not say whether a person or a program gave feedback: it
becomes scores. (github.com/langchain-ai/langsmith-sdk, evaluation/_runner.py)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import inside
from annotation.imports.files import Record, Table
from annotation.imports.presets import _outputs
from annotation.imports.presets._preset import Preset, Records

INPUTS, OUTPUTS = "inputs", "outputs"
REFERENCES = ("reference", "reference_outputs", "reference_example.outputs")
FEEDBACK, MEANS, MEAN = "feedback", "feedback_stats", ".avg"
IDS = ("id", "run_id")
SYSTEMS = ("model", "experiment", "session_name", "experiment_name")
OF_RUN = "it is about the run, not about its output"
SPREAD = "the mean of the feedback counts"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    parts = {name.split(".")[0] for name in table.columns}
    others = {FEEDBACK, MEANS, "reference", "reference_outputs", "example_id", "run_id"}
    return {INPUTS, OUTPUTS} <= parts and bool(parts & others)


def _unfold(records: Records, account: Account) -> Records:
    return _outputs.with_texts(_read(records, account), account)


def _read(records: Records, account: Account) -> Records:
    for line, cells in records:
        found = {
            "id": _first(cells, IDS),
            "text": _outputs.words(_part(cells, OUTPUTS)),
            "prompt": _outputs.words(_part(cells, INPUTS)),
            "reference": _reference(cells),
            "system": _first(cells, SYSTEMS),
        }
        yield Record(line, {**found, **_feedback(cells, account)})
        for name, value in cells.items():
            if filled(value) and not _is_used(name):
                account.set_aside(name, words=OF_RUN)


def _is_used(name: str) -> bool:
    begins = name.split(".")[0]
    parts = (INPUTS, OUTPUTS, FEEDBACK, MEANS, *IDS, *SYSTEMS)
    return begins in parts or name.startswith(REFERENCES)


def _first(cells: dict[str, Any], names: Sequence[str]) -> Any:
    return next((cells[name] for name in names if filled(cells.get(name))), None)


def _part(cells: dict[str, Any], name: str) -> Any:
    return cells[name] if filled(cells.get(name)) else inside(cells, name)


def _reference(cells: dict[str, Any]) -> str:
    texts = (_outputs.words(_part(cells, name)) for name in REFERENCES)
    return next((text for text in texts if text.strip()), "")


def _feedback(cells: dict[str, Any], account: Account) -> dict[str, float]:
    given = inside(cells, FEEDBACK)
    for name, value in inside(cells, MEANS).items():
        if name.endswith(MEAN):
            given[name.removesuffix(MEAN)] = value
        elif isinstance(value, dict) and "avg" in value:
            given[name] = value["avg"]
        elif filled(value):
            account.set_aside(f"{MEANS}.{name}", words=SPREAD)
    found = {}
    for name, value in given.items():
        score = _outputs.score(f"{FEEDBACK}.{name}", value, account)
        if score is not None:
            found[f"score:{name}"] = score
    return found


PRESET = Preset(
    title="LangSmith",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    note="The file does not say who gave feedback: it comes in as scores, not ratings.",
)
