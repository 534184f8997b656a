import csv
import io

import pytest

from scoring.analyses.overview.page_tables import correlations, correlations_wide
from scoring.drawing.tables import (
    Cell,
    Link,
    Table,
    as_csv,
    as_latex,
    as_text,
    simulated,
    without_ways,
)
from tests.scoring.results.test_charts import points

TABLE = Table(["system", "mean"], [["a", 1 / 3], ["b", None]], "Means.")


def test_csv_has_every_digit_and_an_empty_cell_for_none():
    assert as_csv(TABLE) == f"system,mean\r\na,{1 / 3}\r\nb,\r\n"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_csv_never_begins_a_text_cell_as_a_formula(name):
    rows = list(
        csv.reader(io.StringIO(as_csv(Table(["system"], [[name]])), newline=""))
    )
    assert rows[1] == [f"'{name}"]


def test_csv_leaves_negative_numbers_alone():
    assert as_csv(Table(["r"], [[-0.5]])) == "r\r\n-0.5\r\n"


def test_text_is_aligned_with_three_decimals():
    assert as_text(TABLE).splitlines() == [
        "system   mean",
        "a       0.333",
        "b           —",
    ]


def test_letters_of_double_width_take_two_places():
    table = Table(["system", "mean"], [["北京大学", 0.5], ["a", -0.25]])
    assert as_text(table).splitlines() == [
        "system      mean",
        "北京大学   0.500",
        "a         -0.250",
    ]


def test_a_table_without_rows_is_its_header():
    assert as_text(Table(["system", "mean"], [])) == "system  mean"
    assert "system & mean" in as_latex(Table(["system", "mean"], []))


def test_latex_escapes_what_it_would_run():
    latex = as_latex(Table(["a_b"], [[r"50% & \input{x} $#~^<|>"]]))
    assert r"a\_b" in latex
    assert (
        r"50\% \& \textbackslash{}input\{x\} \$\#\textasciitilde{}"
        r"\textasciicircum{}\textless{}\textbar{}\textgreater{}"
    ) in latex


def test_no_cell_of_latex_is_an_argument_of_what_stands_before_it():
    latex = as_latex(Table(["a"], [["[1ex]"], ["* b"]]))
    assert "\\midrule\n{[}1ex] \\\\\n{*} b" in latex


def test_latex_aligns_numbers_to_the_right():
    latex = as_latex(TABLE)
    assert r"\begin{tabular}{lr}" in latex
    assert r"b & --- \\" in latex


def test_latex_has_minuses_not_hyphens():
    rows = [[-1.5], [Cell(-0.25, low=-0.5, high=0.125)], ["a-b"]]
    assert as_latex(Table(["x"], rows)).splitlines()[7:10] == [
        r"$-$1.500 \\",
        r"$-$0.250 {\scriptsize {[}$-$0.500, 0.125]} \\",
        r"a-b \\",
    ]


def test_latex_is_ascii_where_pdflatex_has_no_letter():
    table = Table(["ρ", "τ-b", "ε*"], [["1–2", "χ²", "a · b…"]])
    latex = as_latex(table)
    assert latex.isascii()
    assert r"$\rho$ & $\tau$-b & $\varepsilon${*} \\" in latex


def test_a_broad_table_of_latex_is_made_to_fit_the_page():
    latex = as_latex(Table([*"abcdefghi"], [[*range(9)]]))
    assert "booktabs,graphicx" in latex
    assert latex.count("{") == latex.count("}")
    assert latex.endswith("\\end{tabular}}\n\\end{table*}\n")


def test_a_note_cannot_end_its_comment():
    latex = as_latex(Table(["a"], [], notes=["x\n\\input{y}"]))
    assert latex.startswith("% x \\input{y}\n")


def test_correlations_carry_their_signature():
    row = points().row
    table = correlations([row])
    assert dict(zip(table.header, table.rows[0], strict=True)) == {
        "metric": "judge",
        "metric_aspect": "coherence",
        "human_aspect": "coherence",
        "n": 3,
        "n_rated": 4,
        "grouping": "none",
        "compared": "all 4 rated texts",
        "pearson": 1.0,
        "spearman": 1.0,
        "kendall": 1.0,
        "why": "",
        "signature": "judge|v:1",
    }


def test_papers_get_a_row_for_each_output_and_a_group_for_each_aspect():
    table = correlations_wide([points().row])
    assert table.rows == [["judge: Coherence", 1.0, 1.0, 1.0]]
    assert table.caption.endswith("over all 4 rated texts. n = 3 of 4 rated texts.")
    latex = as_latex(table)
    assert r"\multicolumn{3}{c}{Coherence}" in latex
    assert r"\cmidrule(lr){2-4}" in latex
    assert latex.startswith("% judge: judge|v:1\n")


def test_files_have_no_columns_that_only_lead_elsewhere():
    groups = [("", 1), ("Rank", 1), ("", 1)]
    found = Table(["a", "b", "why"], [["x", 1, Link("explain")]], groups=groups, ways=1)
    assert without_ways(found) == Table(["a", "b"], [["x", 1]], groups=groups[:2])
    assert without_ways(TABLE) is TABLE


def test_simulated_ratings_are_named_in_the_table_itself():
    table = simulated(TABLE)
    assert as_csv(table).splitlines()[1].endswith(",simulated")
    latex = as_latex(simulated(TABLE, column=False))
    assert "not from people" in latex
    assert "& simulated" not in latex
