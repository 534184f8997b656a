"""What one cell of a record may hold."""

from __future__ import annotations

import pytest

from annotation.imports._cells import Cells
from annotation.imports._problems import Problems


@pytest.mark.parametrize(("value", "text", "bad"), [(7, "7", set()), (True, "", {3})])
def test_a_number_is_text_and_a_truth_value_is_not(value, text, bad):
    problems = Problems()
    assert Cells(3, {"system": value}, problems).text("system") == text
    assert problems.bad_lines == bad


@pytest.mark.parametrize(("name", "bad"), [("abcd", set()), ("abcde", {3})])
def test_a_name_has_at_most_so_many_characters(name, bad):
    problems = Problems()
    Cells(3, {"system": name}, problems).name("system", 4)
    assert problems.bad_lines == bad
