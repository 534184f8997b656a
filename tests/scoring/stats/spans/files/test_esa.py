import json

from scoring.stats.spans.files import esa
from scoring.stats.spans.marks import Mark

ROW = {
    "system": "s1",
    "doc_id": "d1",
    "line_id": 3,
    "annotator": "w1",
    "src": "source",
    "tgt": "a bad word",
    "esa_score": 62,
}


def read(*rows):
    return esa.read(json.dumps(row) for row in rows)


def span(start, end, severity="minor"):
    return {"start_i": start, "end_i": end, "severity": severity}


def test_a_line_is_a_segment_with_its_score():
    (segment,), refusals = read({**ROW, "esa_spans": [span(2, 5, "major")]})
    assert segment.marks == (Mark(2, 5, "", "major"),)
    assert segment.of == ("s1", "d1", "3", "w1", "source", "a bad word")
    assert segment.score == 62 and refusals == []


def test_what_is_missing_is_a_point_at_the_end():
    (segment,), _ = read({**ROW, "esa_spans": [span("missing", "missing")]})
    assert segment.marks == (Mark(10, 10, "missing", "minor"),)


def test_what_is_no_mark_or_no_segment_is_refused():
    segments, refusals = read(
        {**ROW, "esa_spans": [span(2, 50), "no object", span("2", 5)]},
        {"system": "s1"},
        ["no object"],
        {**ROW, "esa_spans": None},
    )
    assert [segment.marks for segment in segments] == [()]
    assert [(r.row, r.code) for r in refusals] == [
        (1, "outside"),
        (1, "shape"),
        (1, "shape"),
        (2, "shape"),
        (3, "shape"),
        (4, "shape"),
    ]
    assert esa.read(["{"]).refusals[0].code == "shape"
