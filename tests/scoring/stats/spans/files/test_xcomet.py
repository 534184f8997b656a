import pytest

from scoring.stats.spans.files import xcomet
from scoring.stats.spans.marks import Mark


def entry(*errors, mt="in der Gunst der Gunst", key="errors"):
    return {"src": "favour", "mt": mt, "COMET": 0.75, key: list(errors)}


def error(text, start=None, severity="major"):
    return {"text": text, "start": start, "severity": severity, "confidence": 0.4}


def test_the_quoted_text_decides_and_its_offset_says_which():
    """Subwords begin with a space, which is no part of the error."""
    (segment,), refusals = xcomet.read({"out.txt": [entry(error(" Gunst", 16))]})
    assert segment.marks == (Mark(17, 22, "", "major"),)
    assert segment.of.system == "out.txt" and segment.of.segment == "1"
    assert segment.of.rater == "xCOMET" and segment.score == 0.75
    assert refusals == []


def test_errors_that_are_not_in_the_text_are_refused():
    segments, refusals = xcomet.read(
        [entry(error("Gnade", 3), error("Gunst"), "no object"), {"mt": 3}, entry()]
    )
    assert [segment.marks for segment in segments] == [(), ()]
    assert [(r.row, r.code) for r in refusals] == [
        (1, "absent"),
        (1, "ambiguous"),
        (1, "shape"),
        (2, "shape"),
    ]
    assert segments[1].of.segment == "3"


def test_both_names_of_the_list_are_known():
    (segment,), _ = xcomet.read([entry(error("in", 0), key="error_spans")])
    assert segment.marks == (Mark(0, 2, "", "major"),)


@pytest.mark.parametrize("parsed", [3, "x", {"a": 1}, None])
def test_anything_else_is_refused(parsed):
    with pytest.raises(ValueError, match="expected a list"):
        xcomet.read(parsed)
