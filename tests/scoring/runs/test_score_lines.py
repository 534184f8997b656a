from __future__ import annotations

from scoring.runs.score_lines import as_word


def test_names_fit_into_addresses():
    names = ["Answer Relevancy", "a/b|c", "…", "", "x" * 300, ".:hidden", "ブルー"]
    assert [as_word(name) for name in names] == [
        *("Answer_Relevancy", "a_b_c", "score", "score", "x" * 64, "hidden", "ブルー"),
    ]
