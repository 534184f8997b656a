"""Scores of one judge, saved by two runs at once."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.models import Score, Signature
from scoring.runs import saving

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("value", [1.0, None])
def test_who_saves_values_keeps_out_who_saves_gaps(make_study, value):
    signature = Signature.objects.create(digest="d", text="t", metric="m", outputs=[])
    text = make_study().generations.first()
    row = Score(generation=text, signature=signature, output="a", value=value)
    with CaptureQueriesContext(connection) as asked:
        assert saving.without_lost([row]) == [row]
    assert "scoring_signature" in asked[0]["sql"]


def test_a_gap_never_takes_the_place_of_a_value(make_study):
    signature = Signature.objects.create(digest="d", text="t", metric="m", outputs=[])
    text = make_study().generations.first()
    keys = {"generation": text, "signature": signature, "output": "a"}
    Score.objects.create(**keys, value=1.0)
    assert saving.without_lost([Score(**keys, value=None)]) == []
