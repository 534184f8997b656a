from __future__ import annotations

from scoring.drawing.tables import Cell
from scoring.training import charts
from tests.support.learner import CARD, LOG


def figures(**found):
    [section] = charts.sections([], {"figures": found})
    return section


def test_one_curve_for_each_stage_named_where_there_are_several():
    [alone] = charts.curves(LOG)
    assert alone.title == "Loss"
    more = [*LOG, {"stage": "fine-tuning", "step": 1, "loss": 9.0}]
    found = charts.curves(more)
    assert [one.title for one in found] == ["Loss, training", "Loss, fine-tuning"]
    assert list(found[1].chart.data[0].y) == [9.0]


def test_a_look_without_a_held_out_loss_leaves_a_gap_with_its_reason():
    [curve] = charts.curves(LOG)
    assert list(curve.chart.data[1].y) == [0.69, 0.45, None]
    cell = curve.tables["loss-1"].rows[-1][2]
    assert (cell.value, cell.reason) == (None, "nothing is held out")


def test_figures_within_figures_are_named_after_both():
    rows = figures(fine_tuned={"pearson": 0.4}).tables["figures"].rows
    assert [row[:2] for row in rows] == [["Fine tuned: Pearson r", Cell(0.4)]]


def test_an_undefined_figure_has_a_reason():
    [row] = figures(auc=None).tables["figures"].rows
    assert row[1] == Cell(None, reason="undefined")


def test_figures_of_an_earlier_stage_are_in_the_same_table():
    card = {"figures": {"n": 5}, "pretraining": {"figures": {"mse": 0.25}}}
    names = [row[0] for row in charts.tables([], card)["figures"].rows]
    assert names == ["Held-out examples", "Pre-training: Mean squared error"]


def test_it_warns_where_length_alone_tells_classes_apart():
    [said] = charts.warnings({"figures": {"auc_of_length": 0.9}})
    assert "AUC of 0.900" in said
    assert charts.warnings({"figures": {"auc_of_length": 0.52}}) == []
    assert charts.warnings({}) == []


def test_it_warns_where_length_alone_goes_with_quality():
    [said] = charts.warnings({"figures": {"spearman_of_length": -0.5}})
    assert "Spearman rho -0.500" in said
    assert charts.warnings({"figures": {"spearman_of_length": 0.1}}) == []


def test_it_warns_where_few_examples_are_held_out():
    [said] = charts.warnings({"figures": {"n": 22}})
    assert said.startswith("Only 22 held-out examples: ")
    assert charts.warnings({"figures": {"n": 100}}) == []


def test_a_warning_among_figures_is_no_row_of_them():
    inner = {"amateur loss": 2.0, "warning": "the expert is not the better model"}
    found = {"infilling models": inner}
    assert charts.warnings({"figures": found}) == ["the expert is not the better model"]
    assert len(figures(**found).tables["figures"].rows) == 1


def test_classes_have_their_share():
    tables = charts.tables([], CARD)
    assert [row[2].value for row in tables["classes"].rows][0] == 100 * 600 / 995


def test_what_a_database_sorted_is_shown_in_the_usual_order():
    found = {"of": {"b": 1.0, "aa": 2.0}, "auc": 0.9, "n": 200}
    rows = figures(**found).tables["figures"].rows
    names = ["Held-out examples", "AUC", "Of: Aa", "Of: B"]
    assert [row[0] for row in rows] == names
    [table] = charts.tables(
        [], {"data": {"classes": {"b": 1, "a": 1, "c": 2}}}
    ).values()
    assert [row[0] for row in table.rows] == ["c", "a", "b"]


def test_the_headline_is_the_figure_that_says_most():
    assert charts.headline(CARD) == ("AUC", 0.9375, CARD["figures"].get("n"))
    figures = {"auc": 1.0, "n": 4}
    assert charts.headline({"figures": figures}) == ("AUC", 1.0, 4)
    assert charts.headline({"figures": {"n": 3, "auc": None}}) is None
    assert charts.headline({}) is None
