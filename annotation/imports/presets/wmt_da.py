"""Direct assessments of WMT: a table with the columns src, mt, ref and raw or score.

The score from 0 to 100 is a mean rating of quality. Standardised scores (z) are
ignored: their scale has no ends.
"""

from __future__ import annotations

from annotation.imports.presets._preset import Preset, has

PRESET = Preset(
    title="WMT, direct assessments",
    help=__doc__ or "",
    recognises=has("src", "mt", "raw"),
    mapping={
        "src": "source",
        "mt": "text",
        "ref": "reference",
        "system": "system",
        "sys": "system",
        "raw": "mean:quality",
        "annotators": "n",
    },
    scale="0-100",
)
