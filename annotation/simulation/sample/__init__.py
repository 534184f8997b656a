"""The study that comes with the app: 96 texts written for it, by four "systems"."""

from __future__ import annotations

from pathlib import Path

PATH = Path(__file__).with_name("texts.jsonl")
FORMAT = "jsonl"

# How simulated workers rate these systems on average, from 1 to 5. Made up; the order
# is what a reader of the texts would expect. By system, then by key of the aspect.
QUALITY: dict[str, dict[str, float]] = {
    "plain": {"coherence": 4.6, "consistency": 4.6, "attribute-relevance": 4.5},
    "rambling": {"coherence": 3.4, "consistency": 4.1, "attribute-relevance": 4.0},
    "drifting": {"coherence": 2.9, "consistency": 2.4, "attribute-relevance": 2.8},
    "broken": {"coherence": 1.8, "consistency": 2.3, "attribute-relevance": 1.9},
}

# Words that stand for the attribute labels.
VERBALIZERS: dict[str, list[str]] = {
    "positive": ["positive", "good", "great", "wonderful"],
    "negative": ["negative", "bad", "awful", "terrible"],
}
