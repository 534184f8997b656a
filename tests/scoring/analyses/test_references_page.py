from __future__ import annotations

from scoring.analyses import pages
from scoring.analyses.references.page import bins
from tests.scoring.analyses.test_references import THREE, data, noisy, output, run


def sections(found, **chosen) -> dict:
    return {s.key: s for s in pages.get("references").sections(run(found, **chosen))}


def test_there_is_a_line_for_each_kind_but_the_first():
    table = sections(THREE)["kinds"].tables["kinds-differences"]
    assert [(row[1], row[2]) for row in table.rows] == [
        ("The text's own corrections", "Written for the prompt"),
        ("Both", "Written for the prompt"),
    ]


def test_a_kind_that_was_not_run_has_no_panel_and_no_line():
    found = sections(data(output("targeted"), output("all"), scores=noisy(0.1, 1.0)))
    assert len(found["kinds"].chart.data) == 2
    (line,) = found["kinds"].tables["kinds-differences"].rows
    assert line[2] == "The text's own corrections"


def test_ranges_are_named_by_their_ends():
    names = bins(run(THREE))
    assert (names[0], names[1], names[-1]) == ("0", "0–10", "over 100")


def test_the_page_says_which_metric_to_run():
    found = sections(data(output("prewritten"), scores=noisy(1.0)))
    assert "Choose the metric TER" in found["hter"].words
    assert "with one kind of reference only: ter: ter" in found["kinds"].words
