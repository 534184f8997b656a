from scoring.drawing.heatmaps import heatmap
from scoring.drawing.ladders import (
    AGREES,
    DISAGREES,
    ROW,
    TALL,
    Line,
    Panel,
    Rung,
    best_first,
    ladder,
)


def cell(value, low=None, high=None):
    return {"value": value, "low": low, "high": high, "n": 10}


def drawn(*cells, **more):
    rungs = [Rung(f"m{k}") for k in range(len(cells))]
    return ladder(rungs, [Panel(list(cells), **more)], x_title="r")


def test_rows_come_best_first_and_those_without_a_number_last():
    assert best_first([[cell(None), cell(0.1), cell(0.3)]]) == [2, 1, 0]


def test_several_panels_are_ordered_by_their_mean():
    panels = [[cell(0.1), cell(0.3)], [cell(0.5), cell(0.2)]]
    assert best_first(panels) == [0, 1]  # 0.30 and 0.25


def test_ranks_begin_with_the_lowest():
    assert best_first([[{"value": 3}, {"value": 1}]], lowest=True) == [1, 0]


def test_a_row_of_all_together_stays_last():
    assert best_first([[cell(0.9), cell(0.1)]], last=[0]) == [1, 0]


def test_blue_is_above_zero_and_orange_below():
    (dots,) = drawn(cell(0.2, 0.1, 0.3), cell(-0.2, -0.3, -0.1)).data
    assert list(dots.marker.color) == [AGREES, DISAGREES]


def test_no_mark_is_hollow_which_means_another_thing_in_the_answer():
    (dots,) = drawn(cell(0.2, 0.1, 0.3), cell(0.2, -0.1, 0.5)).data
    assert list(dots.marker.symbol) == ["circle", "circle"]


def test_what_only_counts_is_grey_and_in_italics():
    figure = ladder([Rung("words", aside=True)], [Panel([cell(0.5)])], x_title="r")
    assert figure.data[0].marker.color[0] not in (AGREES, DISAGREES)
    assert figure.layout.yaxis.ticktext[0] == "<i>words</i>"


def test_what_has_no_value_keeps_its_row_and_has_no_dot():
    figure = drawn(cell(None), cell(0.2), None)
    assert list(figure.data[0].y) == [1]
    assert len(figure.layout.yaxis.ticktext) == 3


def test_each_row_adds_22_pixels():
    few, more = drawn(*[cell(0.1)] * 3), drawn(*[cell(0.1)] * 5)
    assert more.layout.height - few.layout.height == 2 * ROW == 44


def test_a_tall_chart_has_its_axis_at_both_ends():
    assert drawn(*[cell(0.1)] * TALL).layout.xaxis2.side == "top"
    assert "xaxis2" not in drawn(*[cell(0.1)] * (TALL - 1)).layout


def test_lines_have_their_names_above_the_rows_each_in_its_own():
    figure = drawn(cell(0.5), lines=[Line(0.667, "tentative"), Line(0.8, "reliable")])
    named = [one for one in figure.layout.annotations if one.name != "x title"]
    assert [(one.text, one.y) for one in named] == [("tentative", -1), ("reliable", -2)]
    assert min(figure.layout.yaxis.range) < -2


def test_panels_share_one_scale():
    figure = ladder(
        [Rung("a")], [Panel([cell(0.1)], "x"), Panel([cell(0.9)], "y")], x_title="r"
    )
    assert figure.layout.xaxis2.matches == "x"
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]


def test_each_unit_has_an_axis_of_its_own():
    units = ["1 to 5", "sum", "1 to 5", "sum"]
    panels = [Panel([cell(0.1)], title, unit=title) for title in units]
    axes = ladder([Rung("a")], panels, x_title="r").layout
    matched = [axes[f"xaxis{n}"].matches for n in ("", 2, 3, 4)]
    assert matched == [None, None, "x", "x2"]


def test_a_long_title_is_folded_and_the_chart_has_room_for_it():
    title = "Errors, weighted, per 100 words (lower is better)"
    wide, long = (
        ladder([Rung("a")], [Panel([cell(0.1)], name)] * 3, x_title="r").layout
        for name in ("Short", title)
    )
    (folded, *_) = (one.text for one in long.annotations)
    lines = folded.removeprefix("<b>").removesuffix("</b>").split("<br>")
    assert " ".join(lines) == title and max(map(len, lines)) <= 28
    assert long.height - wide.height == 16 * (len(lines) - 1) > 0


def test_names_are_shown_letter_by_letter():
    figure = ladder([Rung("<b>%{x}")], [Panel([cell(0.1)], "<i>")], x_title="r")
    assert "<b>%" not in str(figure.layout.yaxis.ticktext)
    assert figure.layout.annotations[0].text == "<b>&lt;i&gt;</b>"


def test_cells_of_a_heat_map_have_a_minus_and_none_is_empty():
    figure = heatmap(["a"], ["b", "c"], [[-0.5, None]], middle=0, ends=(-1, 1))
    assert list(figure.data[0].text[0]) == ["\N{MINUS SIGN}0.50", ""]


def test_the_colour_of_a_heat_map_turns_at_its_middle():
    figure = heatmap(["a"], ["b"], [[0.5]], middle=0.25, ends=(0, 1))
    assert figure.data[0].colorscale[1][0] == 0.25
