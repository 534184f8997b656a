from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import analyses
from scoring.drawing import tables
from scoring.stats.data import Aspect
from tests.scoring import made
from tests.scoring.analyses.shown import everything

DATA = made.data(prompts=6, raters=4, discarded=0.15)


def shown(data=DATA, **chosen):
    result = analyses.run("agreement", data, analyses.options("agreement", chosen))
    return {section.key: section for section in everything("agreement", result)}


def table(section, name):
    return section.tables[name]


def test_each_table_says_what_its_numbers_are():
    found = shown()
    caption = table(found["alpha"], "alpha").caption
    for part in ("Krippendorff's alpha (ordinal)", "jackknife", "prompts"):
        assert part in caption
    assert "single texts" not in caption
    assert "texts, each" in table(shown(resample="samples")["alpha"], "alpha").caption


def test_alpha_stands_beside_equal_pairs_in_percent():
    (first, *_) = table(shown(made.data(prompts=12))["alpha"], "alpha").rows
    alpha, equal = first[1], first[2]
    assert alpha.low < alpha.value < alpha.high
    assert "alpha|aspect:coherence|level:ordinal" in alpha.signature
    assert 1 < equal.value < 100


def test_nominal_data_have_the_unweighted_measure():
    section = shown(level="nominal")["alpha"]
    assert "Gwet's AC1" in table(section, "alpha").header
    assert "AC1" in section.after and "AC2" not in section.after


def test_the_rows_of_the_chart_are_those_of_the_table():
    section = shown()["alpha"]
    (dots,) = section.chart.data
    rows = table(section, "alpha").rows
    assert list(dots.x) == [row[1].value for row in rows]
    names = list(section.chart.layout.yaxis.ticktext)
    assert sorted(names[:2]) == ["Coherence", "Fluency"]
    assert names[2:] == [
        "<i>All aspects together</i>",
        "<i>All aspects, within each</i>",
    ]
    assert rows[0][1].value >= rows[1][1].value


def test_alpha_is_held_against_what_krippendorff_asks_for():
    chart = shown()["alpha"].chart
    assert {0.667, 0.8} <= {line.x0 for line in chart.layout.shapes}
    said = " ".join(one.text for one in chart.layout.annotations)
    assert "0.667 tentative" in said and "0.8 reliable" in said


def test_bars_of_ratings_add_up():
    section = shown()["distribution"]
    assert [bar.name for bar in section.chart.data] == ["1", "2", "3", "4", "5"]
    total = np.sum([bar.x for bar in section.chart.data], axis=0)
    assert total == pytest.approx([100, 100])


def test_quality_control_is_said_in_words_and_numbers():
    section = shown()["quality"]
    assert "were discarded by policy v1" in section.words
    assert [row[-1] for row in table(section, "quality").rows][:2] != [0, 0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (made.data(discarded=0), "No page was discarded"),
        (made.data(raters=0), "There are no ratings yet"),
    ],
)
def test_without_discarded_pages_there_is_nothing_to_compare(data, words):
    section = shown(data)["quality"]
    assert words in section.words
    assert (section.tables, section.chart) == ({}, None)


def test_the_chart_of_workers_begins_as_the_table_does():
    section = shown()["workers"]
    (bars,) = section.chart.data
    rows = table(section, "workers").rows
    assert list(bars.y) == [row[0] for row in rows]
    assert list(bars.x) == [row[2].value for row in rows]


def test_many_workers_are_a_click_away():
    many = shown(made.data(prompts=2, systems=1, raters=45))["workers"]
    assert many.folded and not shown()["workers"].folded
    assert len(many.chart.data[0].y) == 12


def test_a_single_worker_is_in_no_chart():
    section = shown(made.data(raters=1))["workers"]
    assert section.chart is None
    assert len(table(section, "workers").rows) == 1


def test_unknown_raters_are_a_sentence():
    unknown = replace(DATA.ratings, rater=np.full(len(DATA.ratings), ""))
    section = shown(replace(DATA, ratings=unknown))["workers"]
    assert "does not say who gave these ratings" in section.words
    assert not section.tables


def test_the_curve_has_a_line_as_predicted_and_dots_as_measured():
    section = shown()["raters"]
    modes = [(line.name, line.mode) for line in section.chart.data]
    assert modes[:2] == [("Coherence", "lines"), ("Coherence", "markers")]
    numbers = table(section, "raters")
    assert tables.full_header(numbers)[1:3] == [
        "Coherence Predicted",
        "Coherence Measured",
    ]
    assert numbers.rows[2][2].reason == "no text has 6 ratings"


def test_names_are_shown_letter_by_letter():
    names = [Aspect("coherence", "<b>%{x}"), Aspect("fluency", "f")]
    found = shown(replace(DATA, aspects=names))
    for key in ("alpha", "distribution", "quality", "raters"):
        written = found[key].chart.to_json()
        assert "<b>%{x}" not in written.replace("<b>%{x}</b>", "")
        assert "&lt;b&gt;" in written or "\\u0026lt;b" in written


changes = st.fixed_dictionaries(
    {
        "prompts": st.sampled_from([1, 2, 4]),
        "systems": st.sampled_from([1, 3]),
        "raters": st.sampled_from([0, 1, 2, 5]),
        "discarded": st.sampled_from([0, 0.3, 1]),
        "aspects": st.sampled_from([(), ("a",), ("a", "b")]),
        "seed": st.integers(0, 5),
    }
)
chosen = st.fixed_dictionaries(
    {
        "level": st.sampled_from(["ordinal", "interval", "nominal"]),
        "resample": st.sampled_from(["prompts", "samples"]),
        "with_discarded": st.booleans(),
        "aspect": st.sampled_from(["", "a", "gone"]),
        "coefficient": st.sampled_from(["pearson", "spearman", "kendall"]),
    }
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(study=changes, options=chosen, known=st.sampled_from(["all", "some", "none"]))
def test_whatever_the_study_there_are_numbers_or_reasons(study, options, known):
    data = made.data(**study, negatives=False)
    rater = data.ratings.rater.copy()
    if known != "all":
        rater[:: 2 if known == "some" else 1] = ""
    shown(replace(data, ratings=replace(data.ratings, rater=rater)), **options)
