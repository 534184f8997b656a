"""USR (Mehri and Eskenazi 2020): tc_usr_data.json, pc_usr_data.json.

A list of dialogues; each has a context, a fact, and responses with the ratings of three
named raters. The original response is a reference for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record
from annotation.imports.presets._preset import Preset, Records, has

HUMAN = "Original Ground Truth"


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        given = cells.get("responses")
        responses = given if isinstance(given, list) else []
        for one in responses:
            if isinstance(one, dict):
                yield Record(line, dict(_cells(cells, one, responses)))


def _cells(
    dialogue: dict[str, Any], response: dict[str, Any], responses: list[Any]
) -> Iterator[tuple[str, Any]]:
    original = [r for r in responses if isinstance(r, dict) and r.get("model") == HUMAN]
    system = response.get("model")
    yield "context", dialogue.get("context")
    yield "fact", dialogue.get("fact")
    yield "model", system
    yield "response", str(response.get("response") or "").strip()
    if original and system != HUMAN:
        yield "reference", str(original[0].get("response") or "").strip()
    for name, value in response.items():
        if name not in ("model", "response") and not isinstance(value, list):
            yield f"response {name}", value
    raters = dialogue.get("annotators")
    for aspect, values in response.items():
        if isinstance(values, list):
            names = raters if isinstance(raters, list) else []
            named = names if len(names) == len(values) else [""] * len(values)
            for number, (rater, value) in enumerate(zip(named, values, strict=True)):
                yield f"rating:{aspect}:{rater or f'rater {number + 1}'}", value


PRESET = Preset(
    title="USR",
    help=__doc__ or "",
    recognises=has("context", "fact", "annotators", "responses"),
    unfold=_unfold,
    takes=("context", "fact", "annotators", "responses"),
    people=(HUMAN, "New Human Generated"),
    scale="0-5",
    note="USR's qualities have scales of their own (0 to 1, 1 to 3, 1 to 5): the study"
    " gets one scale, from 0 to 5. Correlations and agreement do not depend on it.",
)
