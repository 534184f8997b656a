import json

from scoring.stats.spans.files import ratings
from scoring.stats.spans.marks import Mark

TEXTS = {"a": ["one two", "three"], "b": ["eins", "zwei"]}
SOURCES = ["un deux", "trois"]


def line(system, *errors):
    return f"{system}\t{json.dumps({'errors': errors})}\n"


def error(start, end, source=False, **more):
    names = {"category": "style", "severity": "minor", **more}
    return {"start": start, "end": end, **names, "is_source_error": source}


def read(*lines):
    return ratings.read(lines, TEXTS, SOURCES, rater="r1")


def test_segments_are_those_of_each_system_in_turn():
    segments, refusals = read(
        line("a", error(0, 3)), "b\tNone\n", line("a"), line("b", error(1, 2, True))
    )
    assert [(s.of.system, s.of.segment, s.of.text) for s in segments] == [
        ("a", "1", "one two"),
        ("a", "2", "three"),
        ("b", "2", "zwei"),
    ]
    assert segments[0].marks == (Mark(0, 3, "style", "minor", "text"),)
    assert segments[1].marks == ()
    assert segments[2].marks == (Mark(1, 2, "style", "minor", "source"),)
    assert segments[2].of.source == "trois" and refusals == []


def test_marks_outside_their_text_and_broken_lines_are_refused():
    segments, refusals = read(
        line("a", error(0, 99), error(0, 3)),
        line("c"),
        "a\t{\n",
        line("b", "no object"),
    )
    assert [(r.row, r.code) for r in refusals] == [
        (1, "outside"),
        (2, "shape"),
        (3, "shape"),
        (4, "shape"),
    ]
    assert [len(segment.marks) for segment in segments] == [1, 0]
