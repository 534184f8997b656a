"""Scores of sentences as marks: what AlignScore and its like say of each sentence.

One row for each text: `text`, `scores` (or `sentence_scores`), a number for each
sentence, and optionally `sentences`, `threshold`, `system` and `source`; or
`sentence_scores`, a list of objects with `sentence` (or `text`) and `score`. AlignScore
itself returns one number for a text, the mean over its sentences; whoever keeps them
writes them so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.sentences import split
from scoring.stats.spans.files.segments import Read, Reading, Refusal, Refused, Segment
from scoring.stats.spans.marks import Mark, Marks

SCORES = ("scores", "sentence_scores")
THRESHOLD = 0.5  # AlignScore's own border of its two classes


def read(rows: Iterable[Mapping[str, Any]], *, threshold: float = THRESHOLD) -> Read:
    """Mark each sentence whose score is below the threshold.

    Args:
        rows: Of a file. Without `sentences` the text is split as everywhere here.
        threshold: A score below it is an error.

    Returns:
        Each text with its marks; the score of a text is the mean of its sentences. A
        text is refused as a whole where its sentences do not stand in it in their
        order ("absent"), or are not as many as its scores ("shape").
    """
    segments, refusals = [], []
    for number, row in enumerate(rows, start=1):
        try:
            segments.append(_segment(row, threshold))
        except Refused as refused:
            refusals.append(Refusal(number, refused.code, refused.about))
    return Read(segments, refusals)


def marks_below(
    text: str, sentences: Sequence[str], scores: Sequence[float], threshold: float
) -> Marks:
    """A mark on each sentence with a score below the threshold.

    Args:
        text: In which the sentences stand one after the other.
        sentences: (n,) as they stand there.
        scores: (n,); NaN is below nothing.
        threshold: The lowest score that is no error.

    Raises:
        Refused: "absent" for a sentence that does not follow on the one before,
            "shape" if there are not as many scores as sentences.

    >>> marks_below("One. Two.", ["One.", "Two."], [0.9, 0.1], 0.5)
    (Mark(start=5, end=9, category='', severity='', side='text'),)
    """
    if len(scores) != len(sentences):
        raise Refused("shape", f"{len(sentences)} sentences, {len(scores)} scores")
    places = zip(_places(text, sentences), scores, strict=True)
    return tuple(Mark(*place) for place, score in places if score < threshold)


def _places(text: str, sentences: Sequence[str]) -> Iterator[tuple[int, int]]:
    at = 0
    for sentence in sentences:
        words = sentence.strip()
        start = text.find(words, at) if words else -1
        if start < 0:
            raise Refused("absent", sentence)
        at = start + len(words)
        yield start, at


def _segment(row: Mapping[str, Any], threshold: float) -> Segment:
    text = row.get("text")
    scores = next((row[name] for name in SCORES if row.get(name) is not None), None)
    sentences = row.get("sentences")
    if isinstance(scores, list) and scores and isinstance(scores[0], dict):
        sentences, scores = _apart(scores)
    if not isinstance(text, str) or scores is None or not _are(scores, (int, float)):
        raise Refused("shape", str(row)[:200])
    if sentences is None:
        sentences = split(text)
    if not _are(sentences, str):
        raise Refused("shape", str(row)[:200])
    marks = marks_below(text, sentences, scores, _threshold(row, threshold))
    system, metric, source = (
        str(row.get(name) or "") for name in ("system", "metric", "source")
    )
    of = Reading(system, "", "", metric, source, text)
    return Segment(of, marks, sum(scores) / len(scores) if scores else None)


def _apart(entries: list[Any]) -> tuple[list[Any], list[Any]]:
    """Sentences and scores of a list that has both, as other tools write it."""
    fields = [entry if isinstance(entry, dict) else {} for entry in entries]
    words = [entry.get("sentence", entry.get("text")) for entry in fields]
    return words, [entry.get("score") for entry in fields]


def _threshold(row: Mapping[str, Any], usual: float) -> float:
    threshold = row.get("threshold")
    is_number = _are([threshold], (int, float))
    return float(threshold) if threshold is not None and is_number else usual


def _are(values: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, kind)
        and not isinstance(value, bool)
        and not (isinstance(value, float) and math.isinf(value))
        for value in values
    )
