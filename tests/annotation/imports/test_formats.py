"""What each format reads. Nothing here touches the database."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import pytest

from annotation import imports
from annotation.imports import FORMATS, UploadError
from annotation.imports._cutting import cut
from tests.support import shared

HEADER = "prefix,label,system,text"


def read(content: str | bytes, format: str = "csv", **options):
    data = content.encode() if isinstance(content, str) else content
    return imports.read(format=format, file=io.BytesIO(data), options=options).rows


def line(**fields) -> str:
    start = {"prefix": "The lake", "label": "sad", "system": "a", "text": "It is cold."}
    return json.dumps({**start, **fields}) + "\n"


def refused(content: str | bytes, format: str = "csv", **options) -> list[str]:
    with pytest.raises(UploadError) as error:
        read(content, format, **options)
    return error.value.lines


class TestCsv:
    def test_it_reads_every_column(self):
        (row,) = read(
            f"{HEADER},source,reference,reference:2,sample,key,pair,log_probability,"
            "system_kind,system_model,top_p,top_k\n"
            "The lake,sad,a,It is cold.,Ask,r1,r2,3,k7,p1,-12.5,human,pen,0.9,40\n"
        )
        assert row.prompt == ("The lake", "sad", "Ask")
        assert (row.text, row.references) == ("It is cold.", ["r1", "r2"])
        assert (row.system, row.system_kind, row.system_model) == ("a", "human", "pen")
        assert (row.sample, row.key, row.pair) == (3, "k7", "p1")
        assert (row.top_p, row.top_k, row.log_probability) == (0.9, 40, -12.5)

    def test_corrections_belong_to_the_text_of_their_row(self):
        rows = read(f"{HEADER},edited,edited:2\nx,,a,t1,t2,t3\nx,,b,u1,,\n")
        assert [row.edited for row in rows] == [["t2", "t3"], []]

    def test_corrections_of_texts_that_are_cut_are_refused(self):
        lines = refused(f"{HEADER},edited\nx,,a,One two three.,One two.\n", cut="2")
        assert lines[0].startswith("line 2: a corrected text cannot be compared with")

    def test_it_reads_ratings_of_named_and_unnamed_raters(self):
        (row,) = read(
            f"{HEADER},rating:Coherence,rating:overall:ann,rating:overall:ben\n"
            "x,,a,t,4; 5;4.0,3,\n"
        )
        assert row.ratings == [
            ("coherence", "", 4),
            ("coherence", "", 5),
            ("coherence", "", 4),
            ("overall", "ann", 3),
        ]

    def test_it_reads_means_with_and_without_their_n(self):
        (row,) = read(f"{HEADER},mean:a,n:a,mean:b\nx,,s,t,4.25,4,2\n")
        assert row.means == [("a", 4.25, 4), ("b", 2.0, None)]

    def test_texts_stay_raw_and_names_are_trimmed(self):
        (row,) = read(f'{HEADER}\n"The, lake", sad , a ," two\r\nlines ""so"" "\n')
        assert row.text == ' two\r\nlines "so" '
        assert (row.label, row.system) == ("sad", "a")

    @pytest.mark.parametrize("separator", [";", "\t"])
    def test_semicolons_and_tabs_separate_too(self, separator):
        table = f"{HEADER}\nx,sad,a,t\n".replace(",", separator)
        assert read(table)[0].label == "sad"

    def test_a_byte_order_mark_and_windows_line_ends_are_fine(self):
        rows = read(b"\xef\xbb\xbf" + f"{HEADER}\r\nx,sad,a,t\r\n".encode())
        assert [row.text for row in rows] == ["t"]

    def test_lines_are_counted_where_records_begin(self):
        rows = read(f'{HEADER}\n\nx,,a,"1\n2\n3"\nx,,a,t\n')
        assert [row.line for row in rows] == [3, 6]

    def test_samples_and_keys_are_numbered_around_those_given(self):
        rows = read(
            f"{HEADER},sample,key\nx,,a,1,,\nx,,a,2,1,2\nx,,a,3,,\nx,,b,4,,\ny,,a,5,,\n"
        )
        assert [row.sample for row in rows] == [2, 1, 3, 1, 1]
        assert [row.key for row in rows] == [
            "t-0001",
            "2",
            "t-0003",
            "t-0004",
            "t-0005",
        ]

    def test_a_missing_column_does_not_hide_other_errors(self):
        lines = refused("prefix,system,text,rating:a\nx,a,t,7\n")
        assert lines == [
            'line 1: column "label" is missing',
            "line 2: a: 7 is outside the scale from 1 to 5",
        ]

    def test_a_misspelt_column_is_named_with_those_there_are(self):
        (line,) = refused(f"{HEADER},refrence\nx,,a,t,r\n")
        assert line.startswith('line 1: unknown column "refrence"; there are prefix')

    def test_a_short_record_and_a_column_twice(self):
        lines = refused(f"{HEADER},text\nx,,a,t\n")
        assert lines[0] == 'line 1: column "text" occurs twice'
        assert lines[1] == "line 2: 4 cells, but the header line names 5"

    def test_an_open_quote_is_told_where_it_begins(self):
        (line,) = refused(f'{HEADER}\nx,,a,t\nx,,a,"never closed\nx,,a,u\n')
        assert line.startswith(
            "line 3: cannot be read as csv: a quotation mark is never"
        )

    def test_a_stray_quote_does_not_hide_other_errors(self):
        lines = refused(f'{HEADER}\nx,,a,"he "said" so"\nx,,,\n')
        assert [text[:7] for text in lines] == ["line 2:", "line 3:"]

    def test_wrong_numbers_are_all_told(self):
        lines = refused(
            f"{HEADER},sample,top_p,top_k,log_probability,system_kind,n:a,mean:b\n"
            "x,,a,t,0,1.5,many,nan,robot,3,x\n"
        )
        assert lines == [
            'line 2: system_kind must be "generator" or "human", not "robot"',
            'line 2: top_p must be a number from 0 to 1, not "1.5"',
            'line 2: top_k must be a whole number from 0, not "many"',
            'line 2: sample must be a whole number from 1, not "0"',
            'line 2: log_probability must be a number, not "nan"',
            "line 2: n:a without a column mean:a",
            'line 2: b: a mean is a number, not "x"',
        ]


class TestJsonLines:
    def test_it_reads_what_csv_reads(self):
        (row,) = read(
            line(
                edited=["e1"],
                references=["r1"],
                top_p=0.9,
                system=7,
                sample=2,
                source=None,
            ),
            "jsonl",
        )
        assert (row.references, row.top_p, row.system) == (["r1"], 0.9, "7")
        assert row.edited == ["e1"]
        assert (row.sample, row.source) == (2, "")

    def test_it_reads_ratings_and_means(self):
        (row,) = read(
            line(
                ratings={"a": [4, None, 5], "b": {"ann": 3}},
                means={"c": 4.2, "d": {"mean": 2, "n": 5}},
            ),
            "jsonl",
        )
        assert row.ratings == [("a", "", 4), ("a", "", 5), ("b", "ann", 3)]
        assert row.means == [("c", 4.2, None), ("d", 2.0, 5)]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("{\n", "not valid JSON"),
            ("[1]\n", "expected one object in each line"),
            (line() + "{} {}\n", "line 2: not valid JSON: extra text after the object"),
            ('{"text": "t"}\n', '"system" is missing'),
            (line(txt="t"), 'unknown field "txt"'),
            (line(text=["t"]), "text must be text"),
            (line(references="r"), "references must be a list"),
            (line(edited="r"), "edited must be a list"),
            (line(edited=["r"] * 51), "51 corrected texts; the most is 50"),
            (line(ratings=[4]), "ratings must be an object"),
            (line(ratings={"a": [True]}), "whole number"),
            (line(ratings={"a": [4.5]}), "whole number"),
            (line(means={"a": {"mean": 4, "N": 5}}), 'not "N"'),
            (line(log_probability=float("nan")), "NaN is not a number"),
            ('{"text": "a", "text": "b"}\n', "twice"),
            ("[" * 60_000 + "\n", "nested too deeply"),
            ('{"text": ' + "9" * 5000 + "}\n", "too many digits"),
            (line(text="half \ud800"), "surrogate"),
            (line(text="nul \0"), "NUL"),
        ],
    )
    def test_it_says_what_is_wrong(self, content, said):
        assert said in "\n".join(refused(content, "jsonl"))


class TestCtrlEval:
    ROW = "positive\tThe lake\tThe lake shone.\t4.4\t2.4\t3.2\n"

    def test_it_reads_means_of_five(self):
        (row,) = read(self.ROW, "ctrleval")
        assert row.prompt == ("The lake", "positive", "")
        assert row.means == [
            ("coherence", 4.4, 5),
            ("consistency", 2.4, 5),
            ("attribute-relevance", 3.2, 5),
        ]
        assert row.system == ""

    def test_order_tells_systems_only_if_asked_to(self):
        table = "".join(self.ROW.replace("shone", f"shone {i}") for i in range(8))
        rows = read(table, "ctrleval", systems="by-order")
        assert [row.system[:8] for row in rows] == [f"system {i}" for i in "12341234"]
        assert rows[0].system == "system 1 (inferred from row order)"
        assert [row.sample for row in rows] == [1] * 4 + [2] * 4

    def test_order_cannot_tell_systems_if_a_row_is_missing(self):
        (line,) = refused(self.ROW, "ctrleval", systems="by-order")
        assert "not a multiple of 4" in line

    def test_another_format_is_told_once(self):
        (line,) = refused("a,b,c\n" * 9, "ctrleval")
        assert line.startswith("line 1: 1 cells separated by tabs, expected 6")

    def test_the_released_file(self):
        path = shared.path("data/ctrleval/data_senti.txt")
        with path.open("rb") as file:
            sheet = imports.read(
                format="ctrleval", file=file, options={"systems": "by-order"}
            )
        assert len(sheet.rows) == 360
        assert len({row.prompt for row in sheet.rows}) == 30
        assert Counter(row.sample for row in sheet.rows) == {1: 120, 2: 120, 3: 120}
        first = [m.mean for r in sheet.rows if "1" in r.system for m in r.means[:1]]
        assert sum(first) / len(first) == pytest.approx(4.57, abs=0.005)

    @pytest.mark.parametrize("task", ["senti", "topic"])
    def test_the_words_for_labels_are_those_of_table_8(self, task):
        path = shared.path(f"data/ctrleval/verbal_{task}.txt")
        labels, *words = (line.split("\t") for line in path.read_text().splitlines())
        for label, column in zip(labels, zip(*words, strict=True), strict=True):
            assert FORMATS["ctrleval"].verbalizers[label] == column


class TestOpenMeva:
    def story(self, **gen) -> str:
        story = {"prompt": "p", "gold_response": "g", "gen": gen}
        return json.dumps({"125": story}, indent=1)

    def test_it_reads_raw_ratings(self):
        (row,) = read(self.story(gpt={"text": "t", "score": [1, 2, 2]}), "openmeva")
        assert (row.prefix, row.references, row.key) == ("p", ["g"], "125-gpt")
        assert row.ratings == [
            ("overall", "", 1),
            ("overall", "", 2),
            ("overall", "", 2),
        ]
        assert row.line == 6

    def test_the_released_file(self):
        with shared.path("data/openmeva_mans/mans_roc.json").open("rb") as file:
            sheet = imports.read(format="openmeva", file=file)
        assert len(sheet.rows) == 1000
        assert {len(row.ratings) for row in sheet.rows} == {5}
        assert len({row.prompt for row in sheet.rows}) == 200

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("[]", "line 1: not valid JSON: expected {"),
            ('{"1": {"gen": 3}}', '"gen" must be an object'),
            ('{"1": {"prompt": "p", "gen": {"a": 3}}}', "expected an object"),
            ('{"1": {"gen": {"a": {"text": "t"}}}}', '"prompt" is missing or empty'),
            ('{"1": {"prompt": "p", "gen": {"a": {"text": "t"}}}}', '"score" must be'),
            ('{"1": {},\n"1": {}}', "line 2: not valid JSON: expected another key"),
            ('{"1": {}', "line 1: not valid JSON: expected ,"),
            ('{"1": {}} x', "extra text after"),
        ],
    )
    def test_it_says_what_is_wrong(self, content, said):
        assert said in "\n".join(refused(content, "openmeva"))


class TestCut:
    def test_it_keeps_words_and_drops_an_unfinished_end(self):
        text = "One two three.  Four five six. Seven eight nine."
        assert cut(text, 8) == "One two three.  Four five six."

    def test_a_finished_end_stays(self):
        assert cut("One two three. Four five.", 80) == "One two three. Four five."

    def test_a_closing_quote_ends_a_sentence_too(self):
        text = 'She left. "Then go!"'
        assert cut(text, 80) == text

    def test_one_unfinished_sentence_is_kept(self):
        assert cut("one two three four", 3) == "one two three"

    def test_it_is_applied_to_every_text_if_asked_for(self):
        (row,) = read(f"{HEADER}\nx,,a,One two. Three four five.\n", cut=3)
        assert row.text == "One two."


def test_every_format_has_a_title_and_says_what_it_takes():
    assert set(FORMATS) >= {"csv", "jsonl", "ctrleval", "openmeva"}
    assert all(format.title and len(format.help) > 100 for format in FORMATS.values())


@pytest.mark.parametrize("name", FORMATS)
def test_the_sample_files_for_download_can_be_imported(name):
    root = Path(__file__).resolve().parents[3]
    sample = root / "static" / FORMATS[name].sample_file
    with sample.open("rb") as file:
        assert imports.read(format=name, file=file).rows


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"system": "by-order"}, "Unknown option system"),
        ({"systems": "by-order"}, "names the systems itself"),
        ({"cut": "-3"}, "cut is a whole number"),
        ({"scale": "5-1"}, "scale is two whole numbers"),
        ({"ratings_per_text": 0}, "ratings_per_text"),
    ],
)
def test_options_are_checked(options, said):
    assert said in refused(f"{HEADER}\nx,,a,t\n", **options)[0]


def test_an_unknown_format_is_refused_with_those_there_are():
    assert "csv, ctrleval" in refused("", "xlsx")[0]
