"""Marks of people, from the pages of whichever kind has them to arrays."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from annotation import page_kinds
from annotation.page_kinds.tables import MarkRow, NoTables
from scoring.results import mark_arrays, study_arrays
from scoring.results.offering import facts
from scoring.stats.data import NONE


@pytest.fixture
def study(make_study):
    study = make_study()
    study.prompts.update(source="the source")
    return study


@pytest.fixture
def marked(study, monkeypatch):
    """A kind of page on which two workers looked for errors in two texts."""
    first, second, *_ = study.generations.order_by("pk")
    mark = (1, 3, "style", "minor", "text")
    rows = [
        MarkRow(
            second.pk, "w1", True, 7, False, True, [mark, (2, 2, "", "", "source")]
        ),
        MarkRow(first.pk, "w1", True, 7, False, False, []),
        MarkRow(first.pk, "w2", False, 8, True, False, [mark]),
        MarkRow(10**6, "w2", True, 8, False, False, [mark]),  # came in later
    ]

    class Marks(NoTables):
        def marks(self, study):
            return iter(rows)

    kind = SimpleNamespace(tables=Marks())
    monkeypatch.setattr(page_kinds, "of", lambda study: [kind])
    return study


def test_marks_refer_to_the_rows_of_their_texts(marked):
    data = study_arrays.load(study=marked, needs={"marks"})
    table = data.error_marks
    assert table.text.tolist() == [1, 1, 0, 0]
    assert table.start.tolist() == [1, 2, NONE, 1]
    assert table.category.tolist() == ["style", "", "", "style"]
    assert table.side.tolist() == ["text", "source", "text", "text"]
    assert table.valid.tolist() == [True, True, True, False]
    assert table.informed.tolist() == [False, False, False, True]
    assert table.page.tolist() == [7, 7, 7, 8]


def test_a_text_comes_with_its_words_and_its_source_where_that_can_be_marked(marked):
    data = study_arrays.load(study=marked, needs={"marks"})
    texts = data.marked_texts
    words = list(marked.generations.order_by("pk").values_list("text", flat=True)[:2])
    assert texts.text.tolist() == [0, 1]
    assert data.marked_words.text.tolist() == [0, 1]
    assert data.marked_words.words.tolist() == words
    assert data.marked_words.source.tolist() == ["", "the source"]
    assert texts.length.tolist() == [len(word) for word in words]
    assert texts.source.tolist() == [0, len("the source")]


def test_long_texts_are_not_held_as_words(marked, monkeypatch):
    monkeypatch.setattr(mark_arrays, "LONGEST", 0)
    data = study_arrays.load(study=marked, needs={"marks"})
    assert len(data.marked_words) == 0 and len(data.marked_texts) == 2


def test_words_are_held_of_the_texts_with_most_marks(marked, monkeypatch):
    monkeypatch.setattr(mark_arrays, "MOST_WORDS", 1)
    data = study_arrays.load(study=marked, needs={"marks"})
    assert data.marked_words.text.tolist() == [1]


def test_marks_of_a_metric_stand_in_the_words_that_texts_still_have(marked):
    first, second, third, *_ = marked.generations.order_by("pk")
    for text, marks in (
        (first, [[1, 3, "", "minor", "text", first.text[1:3]]]),
        (second, [[1, 3, "", "minor", "text", "other words"]]),
        (third, []),  # nobody has looked for errors in it
    ):
        text.metric_readings.create(metric="xCOMET", marks=marks)
    table = study_arrays.load(study=marked, needs={"marks"}).metric_marks
    assert table.text.tolist() == [0, 1]
    assert table.start.tolist() == [1, NONE]
    assert table.metric.tolist() == ["xCOMET", "xCOMET"]


def test_marks_of_a_metric_change_the_stamp(study):
    before = study_arrays.stamp(study=study)
    study.generations.first().metric_readings.create(metric="xCOMET")
    assert study_arrays.stamp(study=study) != before


def test_the_page_is_offered_where_errors_were_looked_for(marked):
    assert facts(study=marked).marked


def test_kinds_without_marks_cost_no_query(study, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert not mark_arrays.exist(study=study)
    assert not facts(study=study).marked
