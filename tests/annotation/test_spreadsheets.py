import pytest

from annotation.spreadsheets import harmless


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@name", "\tx", "\rx"])
def test_text_that_would_run_as_a_formula_gets_an_apostrophe(text):
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("between", [";", "\t", "\n", "\r\n"])
def test_a_cell_may_begin_within_a_text_where_others_part_cells(between):
    text = f"x{between}=HYPERLINK(1){between}@y"
    assert harmless(text) == f"x{between}'=HYPERLINK(1){between}'@y"


@pytest.mark.parametrize("value", ["a; b - c", "a;b", "sea", "", "a=b", -1, 0.5, None])
def test_all_else_stays(value):
    assert harmless(value) is value
