import json
from pathlib import Path

import numpy as np
import plotly
import plotly.graph_objects as go
import pytest

from scoring.analyses.overview.result import Correlation
from scoring.drawing import charts
from scoring.results.charts import scatter
from scoring.results.points import Scatter
from tests.support.scored import COHERENCE, LOSS

ROOT = Path(__file__).resolve().parents[3]


def points(
    *,
    output=COHERENCE,
    systems=("a", "b", ""),
    keys=("1", "2", "3"),
    low_means_good=False,
):
    row = Correlation(
        metric="judge",
        signature="judge|v:1",
        metric_aspect=output.key,
        human_aspect="coherence",
        n=3,
        n_rated=4,
        grouping="none",
        compared="all 4 rated texts",
        pearson=1.0,
        spearman=1.0,
        kendall=1.0,
        reason=None,
        label=f"judge: {output.title}",
        title="Coherence",
        position=0,
        signature_id=1,
        variant="",
        matching=True,
        oriented=True,
        baseline=False,
    )
    return Scatter(
        row=row,
        output=output,
        keys=list(keys),
        systems=list(systems),
        scores=np.array([0.0, 1.0, 2.0]),
        means=np.array([1.0, 3.0, 5.0]),
        n_ratings=np.array([5, 0, 5]),
        all_systems=[s for s in dict.fromkeys(("a", *systems)) if s],
        low_means_good=low_means_good,
    )


def drawn(**kinds):
    line = kinds.pop("line", False)
    figure = scatter(points(**kinds), scale=range(1, 6), line=line)
    return json.loads(figure.to_json())


@pytest.mark.parametrize(
    "trace",
    [go.Scatter(x=[], y=[]), go.Scatter(x=[None], y=[1]), go.Heatmap(z=[[None]])],
)
def test_axes_with_nothing_between_them_are_no_chart(trace):
    assert charts.drawn(go.Figure(trace)) is None


@pytest.mark.parametrize("trace", [go.Bar(x=[0], y=[1]), go.Heatmap(z=[[None, 1]])])
def test_a_single_value_is_a_chart(trace):
    figure = go.Figure(trace)
    assert charts.drawn(figure) is figure


def test_each_system_is_a_trace_and_unknown_ones_are_grey():
    traces = drawn()["data"]
    assert [trace["name"] for trace in traces] == ["a", "b", "unknown system"]
    assert [trace["marker"]["color"] for trace in traces] == [
        charts.COLOURS[0],
        charts.COLOURS[1],
        charts.UNKNOWN,
    ]


def test_a_system_keeps_its_colour_when_others_have_no_point():
    alone = drawn(systems=("b", "b", "b"))["data"]
    assert [trace["marker"]["color"] for trace in alone] == [charts.COLOURS[1]]


def test_more_systems_than_colours_differ_in_shape():
    names = [f"s{number:02}" for number in range(8)]
    found = points(systems=("s00", "s07", "s07"))
    found.all_systems[:] = names
    traces = scatter(found, scale=range(1, 6)).data
    assert traces[0].marker.color == traces[1].marker.color
    assert traces[0].marker.symbol != traces[1].marker.symbol


def test_axes_are_named_with_their_units():
    layout = drawn()["layout"]
    assert layout["xaxis"]["title"]["text"] == "judge: Coherence<br>nats"
    assert layout["yaxis"]["title"]["text"] == "Human: Coherence, mean rating 1-5"


def test_the_axis_runs_backwards_where_lower_is_better():
    axis = drawn(output=LOSS)["layout"]["xaxis"]
    assert axis["autorange"] == "reversed"
    assert "lower is better" in axis["title"]["text"]


def test_so_does_that_of_people_where_a_low_rating_is_a_good_one():
    axis = drawn(low_means_good=True)["layout"]["yaxis"]
    assert axis["range"] == [5.15, 0.85]
    assert axis["title"]["text"].endswith("<br>runs backwards, lower is better")
    assert drawn()["layout"]["yaxis"]["range"] == [0.85, 5.15]


def test_a_point_knows_the_address_of_its_text():
    traces = drawn(keys=("a/b c&", "2", "3"))["data"]
    assert traces[0]["customdata"][0][2] == "a%2Fb%20c%26"


def test_names_are_shown_letter_by_letter():
    figure = json.dumps(
        drawn(systems=("<b>x</b>", "%{x}", "a"), keys=("<i>", "2", "3"))
    )
    assert "<b>x</b>" not in figure
    assert "<i>" not in figure
    assert "&lt;b&gt;x&lt;/b&gt;" in figure
    assert "· %{x}" not in figure


def test_the_least_squares_line_goes_through_points_on_a_line():
    line = scatter(points(), scale=range(1, 6), line=True).data[-1]
    assert line.name == "least squares"
    assert list(line.y) == pytest.approx([1, 5])


def test_the_drawing_program_is_the_one_that_the_figures_are_made_for():
    head = (ROOT / "static/vendor/plotly.min.js").read_text()[:200]
    assert f"v{plotly.offline.get_plotlyjs_version()}\n" in head
    assert "MIT license" in head
    assert (ROOT / "static/vendor/plotly-LICENSE.txt").exists()
