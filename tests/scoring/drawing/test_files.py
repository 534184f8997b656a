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


def test_rows_are_sent_while_they_are_read():
    read = []

    def rows():
        for n in range(2 * files.A_PIECE + 1):
            read.append(n)
            yield n, "=1+1"

    pieces = iter(files.stream(["n", "text"], rows(), "name").streaming_content)
    first = next(pieces).decode()
    assert first.startswith("n,text\r\n0,'=1+1\r\n1,")
    assert len(read) == files.A_PIECE
    assert first.count("\r\n") + b"".join(pieces).count(b"\r\n") == len(read) + 1


def test_a_file_without_rows_has_its_header():
    assert files.stream(["n"], [], "name").getvalue() == b"n\r\n"


def test_each_row_says_that_its_ratings_are_simulated():
    found = files.stream(["n"], [[1]], "name", simulated=True)
    assert found.getvalue() == b"n,ratings\r\n1,simulated\r\n"
