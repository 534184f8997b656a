"""Scores of a metric by the id of their text: key, output, value, direction.

They belong to a study that has the texts.
"""

from __future__ import annotations

from annotation.imports.presets._preset import Preset, has

PRESET = Preset(
    title="Scores by ID",
    help=__doc__ or "",
    recognises=has("key", "output", "value", "direction"),
    note=(
        "This file has scores by ID, and no texts to rate. Add it to the study that has"
        " the texts, with its button “Add data”."
    ),
)
