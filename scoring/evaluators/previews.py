"""What a metric asks a model about a text, in pieces as a page shows them."""

from __future__ import annotations

import json
import re
from typing import Literal, NamedTuple

from annotation.models import Generation, Study
from scoring import metrics
from scoring.evaluators import tables
from scoring.metrics import GAP, Evaluator, ctrleval_tables
from scoring.models import EvaluatorTable
from scoring.scores.examples import example_of

TRIED = 100  # texts
_GAP = re.compile(f"({re.escape(GAP)})")


class Piece(NamedTuple):
    """A stretch of a source: plain words, the gap, or the whole text under test."""

    text: str
    kind: Literal["", "gap", "whole"] = ""


def preview(
    *, table: EvaluatorTable, generation: Generation
) -> list[tuple[list[Piece], str]]:
    """What the model will be asked about a text: sources and targets."""
    own = json.dumps({table.name: tables.contents(table)})
    made = metrics.get("ctrleval")(tables=own, evaluators=table.name)
    key = "attribute_relevance"
    if table.patterns:
        key = ctrleval_tables.output_of(table.name)
    asked = made.explain(example_of(generation))[key]
    return pieces(asked, generation.full_text)


def text_for(table: EvaluatorTable, study: Study, key: str) -> Generation | None:
    """A text to show: that with the key, else the first that the table can ask about.

    Of patterns the first few texts are tried.
    """
    texts = study.generations.select_related("prompt__label")
    made = tables.as_table(table)
    if isinstance(made, ctrleval_tables.Patterns):
        chosen = [*texts.filter(key=key)[:1], *texts[:TRIED]]
        there = (one for one in chosen if preview(table=table, generation=one))
        return next(there, None)
    labels = [one for one in study.labels.all() if made.covers(one.name)]
    fitting = texts.filter(prompt__label__in=labels)
    return fitting.filter(key=key).first() or fitting.first()


def pieces(asked: list[Evaluator], text: str) -> list[tuple[list[Piece], str]]:
    return [(_cut(one.source, text), one.target) for one in asked]


def _cut(source: str, text: str) -> list[Piece]:
    """The source in pieces. The text under test is one of them, as it stands above."""
    if text and text in source:
        before, after = source.split(text, 1)
        whole = Piece(text, "whole")
        return [*_gaps(before), whole, *_gaps(after)]
    return _gaps(source)


def _gaps(source: str) -> list[Piece]:
    pieces = _GAP.split(source)
    return [Piece(one, "gap" if one == GAP else "") for one in pieces if one]
