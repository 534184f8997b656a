import pytest

from scoring.stats.spans.files import wmt_mqm
from scoring.stats.spans.marks import Mark

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
NEWER = HEADER.replace("doc_id", "docSegId").replace("seg_id", "globalSegId")


def row(source, target, category="Accuracy/Omission", severity="Major", rater="r1"):
    cells = ("s1", "d1", "1", "7", rater, source, target, category, severity)
    return "\t".join(cells) + "\n"


def read(*rows, header=HEADER):
    return wmt_mqm.read([header, *rows])


@pytest.mark.parametrize("header", [HEADER, NEWER])
def test_errors_of_a_segment_are_gathered_from_its_rows(header):
    segments, refusals = read(
        row("src", "a <v>bad</v> word", "Style/Awkward", "Minor"),
        row("<v>s</v>rc", "a bad word"),
        row("src", "a bad word", "No-error", "No-error", rater="r2"),
        header=header,
    )
    first, second = segments
    assert first.marks == (
        Mark(2, 5, "Style/Awkward", "minor", "text"),
        Mark(0, 1, "Accuracy/Omission", "major", "source"),
    )
    assert (first.of.text, first.of.source) == ("a bad word", "src")
    assert (first.of.system, first.of.document, first.of.segment) == ("s1", "d1", "7")
    assert (second.of.rater, second.marks) == ("r2", ())
    assert refusals == []


def test_what_cannot_be_placed_is_said_and_its_segment_stays():
    segments, refusals = read(
        row("src", "a <v>bad word"),
        row("src", "a bad word"),
        row("<v>src</v>", "a <v>bad</v> word"),
    )
    assert [(r.row, r.code) for r in refusals] == [
        (1, "unclosed"),
        (2, "absent"),
        (3, "ambiguous"),
    ]
    assert [segment.marks for segment in segments] == [()]


def test_tests_of_attention_and_broken_rows_are_no_segments():
    segments, refusals = read(row("src", "text", "", "HOTW-test"), "s1\td1\n")
    assert segments == []
    assert [refusal.code for refusal in refusals] == ["shape"]


def test_quotes_are_letters_and_versions_of_a_text_stay_apart():
    segments, _ = read(row('"s', '<v>"</v>a'), row('"s', '<v>"</v>b'))
    assert [segment.of.text for segment in segments] == ['"a', '"b']


def test_white_space_at_the_end_makes_no_other_text():
    segments, _ = read(row("src", "a <v>bad</v>"), row("src ", "<v>a</v> bad "))
    (segment,) = segments
    assert (segment.of.source, segment.of.text) == ("src ", "a bad ")
    assert [mark.start for mark in segment.marks] == [2, 0]


def test_a_file_without_its_columns_is_refused():
    with pytest.raises(ValueError, match="rater, category, severity"):
        wmt_mqm.read(["system\tdoc\tseg_id\tsource\ttarget\n"])
