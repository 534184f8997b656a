"""Scores by COPY, beside those by INSERT. On SQLite there is INSERT alone."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from scoring.models import NegativeScore, Score, Signature
from scoring.runs import copying, saving

pytestmark = pytest.mark.django_db
FIELDS = ("generation_id", "output", "value", "reason", "corrections")


@pytest.fixture
def signature():
    return Signature.objects.create(digest="d", text="t", metric="m", outputs=[])


def rows(study, signature, shift: float = 0.0) -> list[Score]:
    """Of two outputs; some without a value, and with what needs care in a file."""
    return [
        Score(
            generation=text,
            signature=signature,
            output=output,
            value=None if n == 1 else n / 7 + shift,
            reason="too\tshort:\n\\N \N{SNOWMAN}" if n == 1 else "",
            corrections="abc" if shift else "",
        )
        for n, text in enumerate(study.generations.order_by("pk"))
        for output in ("a", "b")
    ]


def stored() -> list[tuple[object, ...]]:
    return list(Score.objects.order_by("generation", "output").values_list(*FIELDS))


def save(found: list[Score]) -> None:
    with transaction.atomic():
        saving.upsert(Score, found)


def test_few_rows_and_other_databases_go_without(make_study, signature):
    found = rows(make_study(), signature)
    assert not copying.can(found)
    on_postgres = connection.vendor == "postgresql"
    assert copying.can(found * copying.LEAST) is on_postgres


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="it has no COPY")
def test_new_rows_and_newer_values_are_those_of_insert(
    make_study, signature, monkeypatch
):
    study = make_study()
    both = []
    for least in (10**9, 1):
        monkeypatch.setattr(copying, "LEAST", least)
        Score.objects.all().delete()
        first = rows(study, signature)
        save(first[: len(first) // 2])
        save(rows(study, signature, shift=1 / 3))
        save(first[:2])
        both.append(stored())
    assert both[0] == both[1]
    assert len(both[0]) == 2 * study.generations.count()


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="it has no COPY")
def test_two_kinds_in_one_transaction(make_study, signature, monkeypatch):
    monkeypatch.setattr(copying, "LEAST", 1)
    study = make_study()
    with transaction.atomic():
        saving.upsert(Score, rows(study, signature))
        saving.upsert(NegativeScore, [])
        saving.upsert(Score, rows(study, signature, shift=1))
    assert [row[2] for row in stored()][:2] == [1.0, 1.0]
