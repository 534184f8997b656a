"""HANNA (Chhun et al. 2022): hanna_stories_annotations.csv.

One row for each rater of a story, with six ratings from 1 to 5. The writing prompt is
shown beside the story, the human story is its reference.
"""

from __future__ import annotations

from annotation.imports.presets._preset import Preset, has

ASPECTS = "Relevance Coherence Empathy Surprise Engagement Complexity".split()

PRESET = Preset(
    title="HANNA",
    help=__doc__ or "",
    recognises=has("Story ID", "Prompt", "Human", "Story", "Model", *ASPECTS),
    mapping={
        "Story ID": "key",
        "Prompt": "prompt",
        "Human": "reference",
        "Story": "text",
        "Model": "system",
        "Worker ID": "rater",
        **{aspect: f"rating:{aspect}" for aspect in ASPECTS},
    },
    scale="1-5",
    people=("Human",),
)
