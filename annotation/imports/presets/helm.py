"""HELM's scenario_state.json: what a model was asked, and its completions.

Each request is a text of the model, with the input of its instance; right answers are
references. Scores stand in other files. (github.com/stanford-crfm/helm,
benchmark/adaptation/request_state.py)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._account import Account
from annotation.imports._verbs import pick
from annotation.imports.files import Record
from annotation.imports.presets import _outputs
from annotation.imports.presets._preset import Preset, Records, has
from annotation.imports.presets._segments import key_of

INSTANCE, COMPLETIONS = "instance.", "result.completions"
CORRECT = "correct"


def _unfold(records: Records, account: Account) -> Records:
    return _outputs.with_texts(_read(records, account), account)


def _read(records: Records, account: Account) -> Records:
    """The records are the states: how the model was run stands beside them."""
    number = 0
    for _, cells in records:
        for text in _texts(cells):
            number += 1
            yield Record(number, text)


def _texts(state: dict[str, Any]) -> Iterator[dict[str, Any]]:
    completions = pick(state, "result.completions")
    several = completions if isinstance(completions, list) and completions else [None]
    told = {
        "system": pick(state, "request.model"),
        "prompt": pick(state, "instance.input.text") or pick(state, "request.prompt"),
        "reference": _references(pick(state, "instance.references")),
    }
    name = key_of(
        pick(state, "instance.id"),
        pick(state, "instance.perturbation.name"),
        pick(state, "train_trial_index") or None,
        pick(state, "reference_index"),
    )
    for n, one in enumerate(several, start=1):
        text = one.get("text") if isinstance(one, dict) else None
        key = name if len(several) == 1 else key_of(name, n)
        yield {"id": key, "text": text, **told}


def _references(given: Any) -> list[str]:
    found = [one for one in given if isinstance(one, dict)] if given else []
    right = [one for one in found if CORRECT in (one.get("tags") or [])]
    texts = [pick(one, "output.text") for one in right]
    return [text for text in texts if isinstance(text, str)]


PRESET = Preset(
    title="HELM, scenario state",
    help=__doc__ or "",
    recognises=lambda table, first: (
        has(COMPLETIONS)(table, first)
        and any(name.startswith(INSTANCE) for name in table.columns)
    ),
    unfold=_unfold,
    mapping={
        "id": "key",
        "text": "text",
        "system": "system",
        "prompt": "prompt",
        "reference": "reference",
    },
)
