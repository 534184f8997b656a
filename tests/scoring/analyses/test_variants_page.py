from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.variants.numbers import Options
from scoring.drawing import tables
from scoring.stats.data import Data, Output
from tests.scoring import made

BASE = made.data(prompts=20, seed=3)


def variant(run: str, **options) -> Output:
    plain = made.output("own", metric="fill", options=json.dumps(options))
    return replace(plain, id=f"{run}:own", variant=f"model:{run}")


def data(*outputs: Output) -> Data:
    noise = np.random.default_rng(4).normal(size=(60, len(outputs)))
    scores = BASE.scores[:, :1] + noise
    return replace(BASE, outputs=list(outputs), scores=scores, evaluators=[])


def sections(found: Data, **chosen) -> dict:
    result = analyses.run("variants", found, Options(**chosen))
    return {one.key: one for one in pages.get("variants").sections(result)}


TWO = data(
    variant("a", model="bundled:infill-small", form="plain", dtype="float32"),
    variant("b", model="bundled:infill-nano", form="plain", dtype="float32"),
    variant("c", model="bundled:infill-nano", form="", dtype="float32"),
)


def test_lines_are_named_by_what_they_change():
    table = sections(TWO)["runs-0"].tables["runs-0"]
    assert [row[0].text for row in table.rows] == [
        "form: plain, model: infill-small",
        "model: infill-nano",
        "form: not set, model: infill-nano",
    ]


def test_names_of_lines_follow_the_one_they_are_compared_with():
    table = sections(TWO, reference="b:own")["runs-0"].tables["runs-0-differences"]
    assert [row[0].text for row in table.rows] == [
        "model: infill-small",
        "form: not set",
    ]
    assert "Difference of Pearson r from form: plain, model: infill-nano" in table.title


def test_where_no_option_differs_the_signature_tells_them_apart():
    same = data(variant("a", model="x"), variant("b", model="x"))
    table = sections(same)["runs-0"].tables["runs-0"]
    assert [row[0].text for row in table.rows] == ["model:a", "model:b"]


def test_long_values_are_cut():
    shown = sections(data(variant("a", tables="x" * 99), variant("b", tables="")))
    first = shown["runs-0"].tables["runs-0"].rows[0][0].text
    assert first == f"tables: {'x' * 39}…"


def test_parameters_are_those_that_the_worker_counted():
    runs = [
        replace(variant(str(k), model=str(k)), parameters=n)
        for k, n in enumerate((568_699_904, None))
    ]
    table = sections(data(*runs))["runs-0"].tables["runs-0"]
    assert table.header[:2] == ["Variant", "Parameters"]
    assert table.groups[0] == ("", 2)
    assert [row[1] for row in table.rows] == [568_699_904, None]


def test_without_them_there_is_no_such_column():
    table = sections(data(variant("a", n=1), variant("b", n=2)))["runs-0"].tables
    assert table["runs-0"].header == ["Variant", "r", "ρ", "τ-b"]
    assert table["runs-0"].groups == [("", 1), ("own with Coherence", 3)]


def test_a_dot_for_each_variant():
    (dots,) = sections(TWO)["runs-0"].chart.data
    values = sections(TWO)["runs-0"].tables["runs-0"].rows
    assert list(dots.x) == [row[1].value for row in values]


def test_weights_of_evaluators_are_a_table_of_their_own():
    shown = sections(BASE)
    assert list(shown) == ["runs", "weights-0"]
    assert "two sets of options" in shown["runs"].words
    table = shown["weights-0"].tables["weights-0"]
    assert [row[0] for row in table.rows] == [
        "weighted sum",
        "mean, without weights",
        "largest, without weights",
        "smallest, without weights",
        "weights learned from ratings",
    ]
    latex = tables.as_latex(shown["weights-0"].tables["weights-0-differences"])
    assert "Holm for 4 tests" in latex


@pytest.mark.parametrize(
    ("evil", "shown"),
    [("<script>", "model: &lt;script&gt;"), ("%{x}", "model: %&#123;x}")],
)
def test_options_are_shown_letter_by_letter_in_charts(evil, shown):
    found = sections(data(variant("a", model=evil), variant("b", model="b")))
    assert found["runs-0"].chart.layout.yaxis.ticktext[0] == shown
