import numpy as np

from scoring.stats.spans.marks import Mark
from scoring.stats.spans.pages import Texts
from tests.scoring.stats.spans.marked import pages, texts


def test_each_text_has_the_rows_of_its_pages():
    read = pages((2, 0, ()), (0, 0, ()), (2, 1, ()))
    assert [rows.tolist() for rows in read.by_text(4)] == [[1], [], [0, 2], []]
    assert pages().by_text(0) == []


def test_pages_without_marks_of_a_kind_stay():
    read = pages((0, 0, (Mark(0, 1, "x"), Mark(1, 2, "y"))), (1, 0, (Mark(0, 1, "y"),)))
    assert read.only(lambda mark: mark.category == "x").marks == (
        (Mark(0, 1, "x"),),
        (),
    )


def test_the_source_is_a_side_only_where_it_can_be_marked():
    assert set(texts(3).sides) == {"text", "source"}
    alone = Texts(np.array([5]), np.array([0]), np.array([0]))
    assert set(alone.sides) == {"text"}
