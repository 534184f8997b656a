import pytest

from annotation.spreadsheets import harmless


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@name", "\tx", "\rx"])
def test_text_that_would_run_as_a_formula_gets_an_apostrophe(text):
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("value", ["sea", "", "a=b", -1, -0.5, None])
def test_all_else_stays(value):
    assert harmless(value) is value
