"""HELM's display_predictions.json: predicted texts with their scores.

The inputs stand in another file (instances.json). (github.com/stanford-crfm/helm,
benchmark/presentation/run_display.py)
"""

from __future__ import annotations

from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import inside
from annotation.imports.files import Record
from annotation.imports.presets import _outputs
from annotation.imports.presets._preset import Preset, Records, has
from annotation.imports.presets._segments import key_of

STATS = "stats"
OF_RUN = "it says how the model was run"
USED = ("instance_id", "predicted_text", "train_trial_index", STATS)


def _unfold(records: Records, account: Account) -> Records:
    return _outputs.with_texts(_read(records, account), account)


def _read(records: Records, account: Account) -> Records:
    for line, cells in records:
        trial = cells.get("train_trial_index") or None
        found: dict[str, Any] = {
            "id": key_of(
                cells.get("instance_id"), cells.get("perturbation.name"), trial
            ),
            "text": cells.get("predicted_text"),
        }
        for name, value in inside(cells, STATS).items():
            if (score := _outputs.score(name, value, account)) is not None:
                found[f"score:{name}"] = score
        for name, value in cells.items():
            if filled(value) and name.split(".")[0] not in USED:
                account.set_aside(name, words=OF_RUN)
        yield Record(line, found)


PRESET = Preset(
    title="HELM, predictions",
    help=__doc__ or "",
    recognises=has("instance_id", "predicted_text"),
    unfold=_unfold,
    note="This file of HELM has no inputs: the texts come in without their prompts.",
)
