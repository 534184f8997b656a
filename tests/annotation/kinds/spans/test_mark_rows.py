"""From simulated people who mark errors to the page that says how far they agree."""

from __future__ import annotations

import numpy as np
import pytest

from annotation import page_kinds
from annotation.kinds.spans.mark_rows import mark_rows
from annotation.kinds.spans.models import SpanMark
from annotation.models import Seat
from annotation.simulation import simulate
from scoring.results import study_arrays
from scoring.results.offering import facts, missing
from tests.annotation.pairing import open_pairs
from tests.annotation.seating import NOON
from tests.scoring import analysed

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study(prompts=4, systems=("a", "b"), ratings_per_text=2)
    open_pairs(study, kinds=("spans",))
    simulate(
        study=study,
        workers=8,
        mix={"careful": 1.0},
        rng=np.random.default_rng(1),
        now=NOON,
    )
    return study


def test_each_text_of_a_judged_page_has_a_row(study):
    rows = list(mark_rows(study))
    pages = Seat.objects.filter(survey__study=study, state="valid")
    assert {row.page for row in rows if row.valid} == set(
        pages.values_list("pk", flat=True)
    )
    assert {row.text for row in rows} == set(
        study.generations.values_list("pk", flat=True)
    )
    words = dict(study.generations.values_list("pk", "text"))
    marks = [(row, mark) for row in rows for mark in row.marks]
    assert marks
    assert all(mark[1] <= len(words[row.text]) for row, mark in marks)


def test_a_mark_on_other_words_is_none(study):
    mark = SpanMark.objects.filter(number=1, item__generation__isnull=False).first()
    before = sum(len(row.marks) for row in mark_rows(study))
    SpanMark.objects.filter(pk=mark.pk).update(words="other words")
    assert sum(len(row.marks) for row in mark_rows(study)) == before - 1


def test_the_page_says_how_far_people_agree(study, client, alice):
    client.force_login(alice)
    assert missing("marked_errors", facts(study=study)) is None
    data = study_arrays.load(study=study, needs={"marks"})
    assert len(data.marked_texts) == study.generations.count()
    html = analysed.page(client, study, "marked_errors")
    assert "Marked errors" in html and '<mark class="depth-' in html


def test_other_kinds_have_none(make_study):
    study = make_study()
    assert not any(list(kind.tables.marks(study)) for kind in page_kinds.of(study))
