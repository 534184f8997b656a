"""Ready mappings of files that many people have, recognised by their columns. Pure.

Each public file is one: dropping one in adds it. The first whose `recognises` says yes
is taken, in the order of their names; those that know no columns, but the shape of the
cells only, come last.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence

from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Shape

__all__ = ["PRESETS", "Preset", "Shape", "recognised"]


def _presets() -> dict[str, Preset]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found = {
        name: importlib.import_module(f"{__name__}.{name}").PRESET
        for name in sorted(names)
        if not name.startswith("_")
    }
    return dict(sorted(found.items(), key=lambda one: one[1].is_general))


PRESETS: dict[str, Preset] = _presets()


def recognised(table: Table, first: Sequence[Record]) -> str:
    """The name of the preset for a file; empty if it is nobody's but the user's own."""
    for name, preset in PRESETS.items():
        if first and preset.recognises(table, first):
            return name
    return ""
