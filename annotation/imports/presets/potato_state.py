"""Potato 2's user_state.json: answers by the ID of the instance. It has no texts."""

from __future__ import annotations

from annotation.imports.presets._potato_states import has_states
from annotation.imports.presets._preset import Preset

NO_TEXTS = (
    "This file of Potato 2 has answers by ID, without texts. Make a zip file of it and"
    " of the file of instances, and choose that."
)

PRESET = Preset(
    title="Potato 2, answers without texts",
    help=__doc__ or "",
    recognises=has_states,
    note=NO_TEXTS,
)
