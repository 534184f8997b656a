from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.drawing.tables import Cell, as_latex
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_correlations import TestRanks, run, with_scores


def shown(data=None, **options):
    found = everything("correlations", run(data or made.data(), **options))
    return {section.key: section for section in found}


def table(section):
    (found,) = section.tables.values()
    return found


def test_a_row_is_a_metric_and_each_aspect_has_its_coefficients():
    found = table(shown()["correlations"])
    assert found.header == ["Metric", "r", "ρ", "τ-b", "r", "ρ", "τ-b"]
    assert found.groups == [("", 1), ("Coherence", 3), ("Fluency", 3)]
    assert "n = 18 texts" in found.caption
    assert [row[0].text for row in found.rows[:3]] == [
        *("judge: q0", "judge: q1", "length: words")
    ]
    assert found.rows[2][0].badges == ("baseline",)


def test_n_has_a_column_where_it_differs():
    data = made.data()
    scores = data.scores.copy()
    scores[:3, 1] = np.nan
    found = table(shown(replace(data, scores=scores))["correlations"])
    assert found.header[:5] == ["Metric", "r", "ρ", "τ-b", "n"]
    assert [row[4] for row in found.rows[:2]] == [18, 15]


def test_people_are_below_the_metrics_and_in_the_chart():
    section = shown()["correlations"]
    first, second = table(section).rows[-2:]
    assert first[0] == "One rater with the others"
    assert second[0] == "The most that a metric could reach"
    assert table(section).foot == 2
    assert second[3].value is None and "Kendall" in second[3].reason
    lines = [one for one in section.chart.layout.shapes if one.line.dash == "dot"]
    assert [line.xref for line in lines] == ["x", "x2"]
    assert "one person" in [one.text for one in section.chart.layout.annotations]


def test_metrics_come_best_first_in_every_table():
    found = shown(made.data(prompts=12), grouping="none")
    rows = table(found["correlations"]).rows[:-2]
    names = [row[0].text for row in rows]
    chart = found["correlations"].chart
    first, second = chart.data[0].x, chart.data[1].x
    means = [a + b for a, b in zip(first, second, strict=True)]
    assert means == sorted(means, reverse=True)
    for key in ("ranks", "behind", "metrics"):
        assert [row[0].text for row in table(found[key]).rows] == names
    assert [row[0].text for row in table(found["pairs"]).rows[:-2]] == names


def test_the_heat_map_names_its_columns_in_the_order_of_the_table():
    section = shown()["metrics"]
    layout = section.chart.layout
    names = [row[0].text for row in table(section).rows]
    assert list(layout.xaxis.ticktext) == list(layout.yaxis.ticktext) == names
    shown_values = [list(row) for row in section.chart.data[0].z]
    assert shown_values == [[c.value for c in row[1:]] for row in table(section).rows]


def test_within_groups_there_is_one_person_but_no_perfect_metric_and_a_table_more():
    found = shown(grouping="item")
    names = [str(row[0]) for row in table(found["correlations"]).rows]
    assert "One rater with the others" in names
    assert "The most that a metric could reach" not in names
    assert "Spearman-Brown" not in found["correlations"].after
    groups = table(found["groups"])
    assert groups.header[1:5] == [
        *("Groups", "Metric constant", "People constant", "Too small")
    ]
    counted, tied, *left_out = groups.rows[0][1:5]
    assert counted + sum(left_out) == 6 and tied == 0


def test_the_best_is_bold_where_it_is_best_for_sure():
    data, y, noise = TestRanks.good_and_bad()
    found = table(shown(with_scores(data, y + noise / 9, noise))["correlations"])
    assert found.rows[0][1].bold and not found.rows[1][1].bold
    assert r"\textbf{" in as_latex(found)
    assert r"\textbf{" not in as_latex(table(shown()["correlations"]))


def test_few_systems_are_called_too_few():
    words = shown(level="systems")["correlations"].after
    assert "too few systems (3)" in words


@pytest.mark.parametrize(
    ("resample", "words"),
    [
        ("prompts", "new prompts to these systems"),
        ("prefixes", "There are only 3."),
        ("systems", "other systems on these prompts"),
    ],
)
def test_it_says_for_what_the_intervals_speak(resample, words):
    assert words in shown(resample=resample)["correlations"].after


def test_names_lead_to_the_points_behind_the_numbers():
    data = made.data()
    scored = replace(data.outputs[0], signature_id=7, measures="fluency")
    data = replace(data, outputs=[scored, *data.outputs[1:]])
    link = table(shown(data)["correlations"]).rows[0][0]
    assert (link.to, link.args) == ("scatter", (7, "fluency", "q0"))
    assert link.small == "for fluency"


def test_a_small_threshold_does_not_look_like_zero():
    data = made.data(discarded=0, aspects=("coherence",))
    human = data.human_scores()[:, 0]
    rng = np.random.default_rng(0)
    close = 1e-5 * (100 * human + rng.normal(size=len(human)))
    row = table(shown(with_scores(data, close))["pairs"]).rows[0]
    assert row[2].digits > 3 and f"{row[2].value:.{row[2].digits}f}" != "0.00000"


def test_metrics_with_each_other_have_a_square_for_each_two():
    section = shown()["metrics"]
    (heat,) = section.chart.data
    assert np.array(heat.z).shape == (3, 3)
    assert isinstance(table(section).rows[0][2], Cell)


def test_without_a_metric_it_says_so():
    data = made.data()
    empty = replace(data, outputs=[], scores=np.empty((len(data.texts), 0)))
    assert shown(empty)["correlations"].words == "No metric has scores of these texts."


def test_where_nothing_is_tested_it_says_why_instead_of_a_table_of_dashes():
    section = shown(made.data(prompts=5))["ranks"]
    assert "a test needs 10 prompts" in section.words
    assert not section.tables


def test_heavy_tails_are_said_where_r_is_shown():
    data = made.data(prompts=60)
    scores = data.scores.copy()
    scores[7, 1] = 1e4
    data = replace(data, scores=scores)
    said = "spread of judge: q1. Such texts decide r"
    assert said in shown(data)["correlations"].after
    assert said not in shown(data, coefficients=("kendall",))["correlations"].after
    assert "Heavy tails" not in shown(made.data(prompts=60))["correlations"].after
