"""Newsroom's human evaluation (Grusky et al. 2018): newsroom-human-eval.csv.

One row for each rater of a summary, with four ratings from 1 to 5.
"""

from __future__ import annotations

from annotation.imports.presets._preset import Preset, has

ASPECTS = "Coherence Fluency Informativeness Relevance".split()

PRESET = Preset(
    title="Newsroom",
    help=__doc__ or "",
    recognises=has(
        "ArticleText", "SystemSummary", *(f"{aspect}Rating" for aspect in ASPECTS)
    ),
    mapping={
        "ArticleText": "source",
        "SystemSummary": "text",
        "System": "system",
        **{f"{aspect}Rating": f"rating:{aspect}" for aspect in ASPECTS},
    },
    scale="1-5",
)
