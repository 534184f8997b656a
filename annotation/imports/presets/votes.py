"""Votes on pairs of systems: pair, first, second, outcome.

They belong to a study that has the systems.
"""

from __future__ import annotations

from annotation.imports.presets._preset import Preset, has

PRESET = Preset(
    title="Votes",
    help=__doc__ or "",
    recognises=has("pair", "first", "second", "outcome"),
    note=(
        "This file has votes on pairs of systems, and no texts to rate. Add it to the"
        " study that has the systems, with its button “Add data”."
    ),
)
