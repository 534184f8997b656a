from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import analyses
from scoring.analyses.answer import page_paper
from scoring.drawing.tables import as_latex
from tests.scoring import made

ASPECTS = ("coherence", "fluency")


def result(data=None) -> dict:
    data = data or made.data(prompts=12, noise=(0.5, 5.0), aspects=ASPECTS)
    return analyses.run("answer", data, analyses.options("answer", {}))


@pytest.fixture(scope="module")
def found() -> dict:
    return result()


def said(found: dict, planned: str = "exploratory") -> str:
    return page_paper.sentence(found, found["aspects"][0], planned=planned)


def test_the_sentence_has_all_that_a_reader_needs(found):
    one = found["aspects"][0]
    row = next(row for row in one["rows"] if row["output"]["id"] == one["lead"])
    words = said(found)
    for part in (
        row["name"],
        f"Pearson r = {row['r']['value']:.3f}",
        f"[{row['r']['low']:.3f}, {row['r']['high']:.3f}]".replace("-", "−"),
        f"of {one['n_prompts']} prompts",
        "intervals and tests over whole prompts",
        "a simple guess",
        "One rater reached",
        "This analysis is exploratory.",
    ):
        assert part in words, part


def test_it_says_what_was_planned(found):
    assert said(found, "planned: all of it").endswith(
        "This analysis is planned: all of it."
    )


def with_small_model():
    data = made.data(prompts=12, noise=(0.5, 5.0), aspects=ASPECTS)
    small = replace(data.outputs[0], small_model=True)
    return result(replace(data, outputs=[small, *data.outputs[1:]]))


def test_a_small_model_is_not_passed_over():
    found = with_small_model()
    assert "small model" in said(found)
    table = page_paper.table(found)
    assert [row[0] for row in table.rows][:2] == ["judge: q0†", "judge: q1"]
    assert table.caption.endswith("† Scored by a small model.")


def test_one_table_holds_all_aspects_trivial_predictors_people_and_signatures(found):
    table = page_paper.table(found)
    assert [title for title, _ in table.groups if title] == ["Coherence", "Fluency"]
    names = [row[0] for row in table.rows]
    assert "Guess: word count" in names and "People: one rater" in names
    assert all(len(row) == len(table.header) for row in table.rows)
    assert "% judge: judge|v:1" in as_latex(table)


def test_no_row_has_only_dashes(found):
    mute = {"value": None, "low": None, "high": None, "reason": "none"}
    ceiling = {**found["aspects"][0]["ceiling"], "one": mute}
    without = [{**one, "ceiling": ceiling} for one in found["aspects"]]
    names = [row[0] for row in page_paper.table({**found, "aspects": without}).rows]
    assert "People: one rater" not in names


def test_without_a_metric_there_is_no_sentence(found):
    one = {**found["aspects"][0], "rows": [], "lead": ""}
    assert page_paper.sentence(found, one, planned="") == ""
    assert page_paper.table({**found, "aspects": [one]}).rows == []


def test_it_begins_with_the_conclusion(found):
    aspect, name = found["aspects"][0], found["aspects"][0]["rows"][0]["name"]
    codes = {
        "better": f"On coherence, {name} agreed with people better than simple guesse",
        "little": "On coherence, no metric was shown to say more than simple guesses",
        "unclear": "On coherence, this study cannot tell whether a metric agrees with",
    }
    for code, start in codes.items():
        rows = [{**row, "code": code} for row in aspect["rows"]]
        one = {**aspect, "rows": rows, "lead": rows[0]["output"]["id"]}
        words = page_paper.sentence(found, one, planned="exploratory")
        assert words.startswith(start)
        assert ("the highest of " in words) == (code != "better")


def test_a_p_value_says_what_was_tested(found):
    assert "(test that it is better than every simple guess, Holm-adjusted for" in (
        said(found)
    )
