"""Scores of a chunk -> rows. Call it in the transaction that ends the chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.models import NegativeScore, Score, Signature, SystemScore
from scoring.runs import copying


def without_lost(rows: Sequence[Any]) -> list[Any]:
    """Without gaps where another run has stored a value since.

    Two runs of one judge share their scores. One that stopped at its limit must not
    take away what the other one paid for. Call it in the transaction that saves.
    """
    # Scores of systems are of other texts now.
    of_texts = [row for row in rows if not isinstance(row, SystemScore)]
    if not of_texts:
        return list(rows)
    # Also without gaps: while these are being saved, a run with gaps would find nothing
    # stored, and would save its gaps over them.
    signature = of_texts[0].signature_id
    Signature.objects.select_for_update(no_key=True).get(pk=signature)
    gaps = [row for row in of_texts if row.value is None]
    if not gaps:
        return list(rows)
    kind = type(gaps[0])
    field = f"{kind.KEY[1]}_id"
    there = kind.objects.filter(signature=signature).exclude(value=None).order_by()
    of_gaps = there.filter(**{f"{field}__in": {getattr(row, field) for row in gaps}})
    known = set(of_gaps.values_list(field, "output"))
    return [
        row
        for row in rows
        if row.value is not None or (getattr(row, field), row.output) not in known
    ]


def upsert(kind: type[Score | NegativeScore | SystemScore], rows: list[Any]) -> None:
    told = [] if kind is NegativeScore else ["corrections"]
    update = ["value", "reason", *told]
    if not issubclass(kind, SystemScore) and copying.can(rows):
        copying.upsert(kind, rows, update)
        return
    kind.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=kind.KEY, update_fields=update
    )


def drop_other_seeds(rows: Sequence[Any]) -> None:
    """An earlier scoring may have had more: they would count in the mean."""
    for last in {row.output: row for row in rows}.values():
        SystemScore.objects.filter(
            signature=last.signature,
            system=last.system,
            output=last.output,
            seed__gt=last.seed,
        ).delete()
