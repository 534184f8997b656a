from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.http import Http404

from scoring.drawing import files
from scoring.drawing.tables import Table

STUDY = SimpleNamespace(name="ferry", simulated=False)
FOUND = {"scores": Table(["Text"], [["a"]], "All texts.")}


def test_a_table_comes_by_its_name_as_the_file_that_is_asked_for():
    answer = files.download_one(FOUND, "scores", STUDY, "run-1", "csv")
    assert answer.content.decode().split() == ["Text", "a"]
    assert 'filename="ferry-run-1.csv"' in answer["Content-Disposition"]


@pytest.mark.parametrize(
    ("slug", "format", "said"),
    [("scores", "pdf", "there are: csv, tex, json"), ("gone", "csv", "'gone'")],
)
def test_what_there_is_not_is_not_found(slug, format, said):
    with pytest.raises(Http404, match=said):
        files.download_one(FOUND, slug, STUDY, "run-1", format)
