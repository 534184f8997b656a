"""Logs of inspect_ai in JSON: each sample with its input, its output and its scores.

The completion is the text, the model its system, the target a reference. "C", "P" and
"I" are 1, 0.5 and 0, as in the tool; "N" is no score. Words that the log keeps apart as
attachments are put back. (inspect.aisi.org.uk, log version 2)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.imports._account import Account
from annotation.imports._verbs import inside, pick
from annotation.imports.files import Record
from annotation.imports.presets import _outputs
from annotation.imports.presets._preset import Preset, Records, some

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0}
NO_ANSWER = "N"
ATTACHED = "attachment://"


def _unfold(records: Records, account: Account) -> Records:
    texts = (Record(line, _cells(cells, account)) for line, cells in records)
    return _outputs.with_texts(texts, account)


def _cells(sample: Mapping[str, Any], account: Account) -> dict[str, Any]:
    attachments = inside(sample, "attachments")
    epoch, key = sample.get("epoch"), sample.get("id")
    cells: dict[str, Any] = {
        "id": key if epoch in (None, 1) else f"{key} (epoch {epoch})",
        "sample": epoch,  # two epochs may well have the same words
        "text": _put_back(_outputs.words(_completion(sample)), attachments),
        "system": pick(sample, "output.model"),
        "prompt": _put_back(_outputs.words(sample.get("input")), attachments),
        "reference": _put_back(_outputs.words(sample.get("target")), attachments),
    }
    for name, value in _scores(sample):
        column = f"score:{name}"
        if isinstance(value, str) and value in GRADES:
            cells[column] = GRADES[value]
        elif value != NO_ANSWER:
            cells[column] = _outputs.score(name, value, account)
    return cells


def _completion(sample: Mapping[str, Any]) -> Any:
    choices = pick(sample, "output.choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    content = pick(first, "message.content")
    return content or pick(sample, "output.completion")


def _put_back(words: str, attachments: Mapping[str, Any]) -> str:
    if not words.startswith(ATTACHED):
        return words
    return str(attachments.get(words.removeprefix(ATTACHED), words))


def _scores(sample: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """By scorer; a score of several values has a name for each."""
    for path, value in inside(sample, "scores").items():
        scorer, is_value, part = path.partition(".value")
        if not is_value and isinstance(value, Mapping):  # all that the scorer says
            value = value.get("value")
        elif not is_value:
            continue  # its answer or its explanation
        if isinstance(value, Mapping):
            for name, one in value.items():
                yield f"{scorer} {name}", one
        else:
            yield f"{scorer} {part.strip('.')}".strip(), value


PRESET = Preset(
    title="inspect_ai log",
    help=__doc__ or "",
    recognises=some("epoch", "input", "target", "output.choices", "scores."),
    unfold=_unfold,
    takes=(
        *("id", "epoch", "input", "target", "output.model", "output.choices"),
        *("output.completion", "scores.", "attachments."),
    ),
)
