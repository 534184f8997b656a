"""HANNA's metric scores: hanna_metric_scores.csv. It has no texts.

One row for each system, and in each cell a list of numbers, one for each story.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, has

NO_TEXTS = (
    "This file of HANNA has no texts, only scores of each system. Choose"
    " hanna_stories_annotations.csv from the same project: it has the stories and their"
    " ratings."
)
_has = has("Model", "Relevance", "Coherence", "Empathy", "Surprise", "Engagement")


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    cell = str(first[0].cells.get("Relevance", ""))
    return _has(table, first) and cell.startswith("[") and "Story" not in table.columns


PRESET = Preset(
    title="HANNA, metric scores",
    help=__doc__ or "",
    recognises=_recognises,
    note=NO_TEXTS,
)
