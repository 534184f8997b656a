"""A bad file is refused with everything that is wrong, and leaves nothing behind."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest

from annotation import imports
from annotation.imports import UploadError
from annotation.models import (
    Annotation,
    AttributeLabel,
    Generation,
    Import,
    ImportedMean,
    Prompt,
    Reference,
    Study,
    Survey,
    System,
)

pytestmark = pytest.mark.django_db

HEADER = "prefix,label,system,text"
NO_TEXT = (
    '"text" is empty: without a text, a row needs its system and its prompt or source'
)
GOOD = f"{HEADER},rating:coherence\nThe lake,positive,a,It shone.,4;5\n"
TABLES = (
    *(Study, Import, AttributeLabel, System, Prompt, Reference, Generation),
    *(Annotation, ImportedMean),
)


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def refused(content: str | bytes | io.BufferedIOBase, **given) -> list[str]:
    """Import it as a new study or into `study`; check that nothing came of it."""
    before = counts()
    data = content.encode() if isinstance(content, str) else content
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    given = {"format": "csv", "file_name": "bad.csv", **given}
    if "study" not in given:
        given = {"study_name": "new-one", "owner": None, **given}
    with pytest.raises(UploadError) as error:
        (imports.into if "study" in given else imports.run)(file=file, **given)
    assert counts() == before
    return error.value.lines


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("x,,, ", f"line 2: {NO_TEXT}"),
        (",,a, ", f"line 2: {NO_TEXT}"),
        ("x,,a,\nx,,a,", "line 3: duplicate: the system gave no output to this prompt"),
        ("x,,a,\ny,,a, ", "Every text is empty, as in a column that holds no texts"),
        ("x,,a,t\nx,,a,t", "line 3: duplicate: the same prompt, system and text as on"),
        (f"x,,a,{'t' * 20_001}", "line 2: text has 20,001 characters; the most is"),
        (f"x,,{'a' * 101},t", "line 2: system has 101 characters; the most is 100"),
        (f"x,{'a' * 101},a,t", "line 2: label has 101 characters; the most is 100"),
        ("x,,a,t\0", "line 2: contains a NUL character"),
        ("", "The file has no texts."),
    ],
)
def test_texts_that_cannot_be(rows, said):
    assert refused(f"{HEADER}\n{rows}\n")[0].startswith(said)


@pytest.mark.parametrize(
    ("columns", "values", "said"),
    [
        ("rating:c", "7", "line 2: c: 7 is outside the scale from 1 to 5"),
        ("rating:c", "0", "line 2: c: 0 is outside the scale from 1 to 5"),
        ("rating:c", "4.5", 'line 2: c: a rating is a whole number, not "4.5"'),
        ("rating:c:ann", "4;5", "line 2: rating:c:ann: one rater gives one rating"),
        (
            "rating:c",
            "4;" * 1001,
            "line 2: c: 1,001 ratings; the most for one text is 1,000",
        ),
        ("mean:c", "5.01", "line 2: c: mean 5.01 is outside the scale from 1 to 5"),
        ("mean:c,n:c", "4,0", 'line 2: c: n is a whole number from 1, not "0"'),
        ("mean:c,n:c", ",5", "line 2: c: the number of ratings is given, but not"),
        ("rating:c,mean:c", "4,4", "line 2: c: both ratings and a mean"),
        ("mean:c,mean:C", "4,4", "line 2: c: two means"),
        ("rating:c: ann,rating:C:ann", "4,4", 'line 2: c: rater "ann" occurs twice'),
        (f"rating:c:{'r' * 129}", "4", "line 2: c: the rater's name is longer"),
        ("system_kind,sample", "human,3000000000", "line 2: sample must be a whole"),
    ],
)
def test_values_that_cannot_be(columns, values, said):
    assert refused(f"{HEADER},{columns}\nx,,a,t,{values}\n")[0].startswith(said)


@pytest.mark.parametrize(
    ("columns", "rows", "said"),
    [
        ("key", ("t,k", "u,k"), 'duplicate: key "k" is already on line 2'),
        ("sample", ("t,2", "u,2"), 'duplicate: sample 2 of system "a" for this prompt'),
        (
            "system_kind",
            ("t,human", "u,generator"),
            'system_kind of system "a" is "generator" here, but "human" on line 2',
        ),
    ],
)
def test_rows_that_do_not_go_together(columns, rows, said):
    lines = "".join(f"x,,a,{row}\n" for row in rows)
    (found,) = refused(f"{HEADER},{columns}\n{lines}")
    assert found.startswith(f"line 3: {said}")


def test_numbered_samples_may_have_the_same_text():
    sheet = imports.read(
        format="csv",
        file=io.BytesIO(f"{HEADER},sample\nx,,a,t,1\nx,,a,t,2\n".encode()),
    )
    assert len(sheet.rows) == 2


def test_bytes_that_are_not_utf_8_are_told_with_their_place():
    lines = refused(f"{HEADER}\nx,,a,caf".encode() + b"\xe9\nx,,,\n")
    assert lines[0].startswith("line 2: not UTF-8: byte 0xE9 at offset 33 of the file")
    assert lines[1] == f"line 3: {NO_TEXT}"


def test_in_one_document_the_place_is_told_too():
    (line, *_) = refused(b'{\n"1": {"prompt": "\xff"}}', format="openmeva")
    assert line.startswith("line 2: not UTF-8: byte 0xFF at offset 19")


def test_utf_16_is_told_once():
    assert refused(GOOD.encode("utf-16")) == ["The file is UTF-16: save it as UTF-8."]


class Endless(io.RawIOBase):
    """`n` bytes of one line that are never all in memory."""

    def __init__(self, start: bytes, n: int) -> None:
        self._start, self._left = start, n

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        n = min(len(buffer), self._left)
        buffer[:n] = self._start[:n].ljust(n, b"x")
        self._start, self._left = self._start[n:], self._left - n
        return n


@pytest.mark.parametrize("format", ["csv", "jsonl", "ctrleval", "openmeva"])
def test_a_line_of_200_mb_is_refused_in_little_memory(format):
    start = f"{HEADER}\n".encode() if format == "csv" else b'{"text": "'
    file = io.BufferedReader(Endless(start, 200 * 2**20))
    tracemalloc.start()
    try:
        lines = refused(file, format=format)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 48 * 2**20
    assert lines[0].startswith("The file is larger than ")


def test_a_line_that_is_too_long_does_not_hide_other_errors():
    long = "x" * 64 * 20_000
    lines = refused(f"{HEADER}\nx,,a,{long}\nx,,,\n")
    assert lines == [
        "line 2: longer than 1,280,000 bytes, the limit for a line",
        f"line 3: {NO_TEXT}",
    ]


def test_limits_are_those_of_the_settings(settings):
    settings.UPLOAD_MAX_ROWS = 2
    rows = "".join(f"x,,a,text {i},4;4;4;4\n" for i in range(3))
    (line,) = refused(f"{HEADER},rating:c\n{rows}")
    assert line.startswith("The file has more than 4 ratings, means and refer")
    (line,) = refused(f"{HEADER},key\n" + rows.replace("4;4;4;4", ""))
    assert line.startswith("The file has more than 2 texts: split it")
    (line,) = refused("\n" * 200)
    assert line == "The file has more than 100 lines."
    settings.UPLOAD_MAX_BYTES = 1000
    (line,) = refused(f"{HEADER}\nx,,a,{'t' * 1000}\n")
    assert line.startswith("The file is larger than 0.0009")


def test_all_errors_are_told_in_order_and_the_list_ends_somewhere():
    lines = refused(f"{HEADER}\n" + "x,,,\n" * 1000, study_name="no name")
    assert lines[0].startswith('"no name" cannot be a study')
    assert lines[1:3] == [f"line 2: {NO_TEXT}", f"line 3: {NO_TEXT}"]
    assert len(lines) == 201
    assert lines[-1].startswith("... and ") and lines[-1].endswith(" more problems.")


def test_values_in_messages_are_short_and_on_one_line():
    name = "\x1b[31mred\n" + "y" * 500
    (line, *_) = refused(f'{HEADER},"{name}"\nx,,a,t,\n')
    assert "\x1b" not in line and "\n" not in line and "y" * 61 not in line


class TestIntoAStudy:
    def test_a_label_that_is_not_of_the_study(self, make_study):
        (line,) = refused(f"{HEADER}\nx,sad,a,t\n", study=make_study())
        told = "is not one of the study's labels: negative, positive"
        assert line == f'line 2: label "sad" {told}'

    def test_an_aspect_that_is_not_of_the_study(self, make_study):
        study = make_study()
        (line,) = refused(f"{HEADER},rating:fun\nx,,a,t,4\n", study=study)
        told = "is not one of the study's aspects: coherence, consistency, relevance"
        assert line == f'line 2: aspect "fun" {told}'

    def test_a_rating_outside_the_study_s_own_scale(self, make_study):
        study = make_study(scale_min=0, scale_max=1)
        (line,) = refused(f"{HEADER},rating:coherence\nx,,a,t,2\n", study=study)
        assert line == "line 2: coherence: 2 is outside the scale from 0 to 1"

    def test_what_the_study_has_already(self, make_study):
        study = make_study()
        there = study.generations.first()
        start = f"{there.prompt.prefix},{there.prompt.label},{there.system}"
        lines = refused(
            f"{HEADER},key,sample,system_kind\n"
            f"x,,a,t,{there.key},,\n{start},u,,1,\n{start},{there.text},,,\n"
            f"y,,a,t,,,human\n",
            study=study,
        )
        assert [line.replace("the study already has", "has") for line in lines] == [
            f'line 2: duplicate: has a text with the key "{there.key}"',
            'line 3: duplicate: has sample 1 of system "a" for this prompt',
            "line 4: duplicate: has this text for this prompt and system",
            'line 5: system_kind of system "a" is "human" here, but "generator" in the'
            " study",
        ]

    @pytest.mark.parametrize("state", ["open", "closed"])
    def test_a_study_that_is_open_or_closed(self, make_study, state):
        (line,) = refused(GOOD, study=make_study(state=state))
        assert line.startswith(f"ferry is {state}: texts can be added to a draft only")

    def test_ratings_for_a_paused_study(self, make_study):
        (line,) = refused(GOOD, study=make_study(state="paused"))
        assert line.startswith("ferry is paused: workers rate its texts")

    def test_a_study_whose_surveys_are_drawn(self, make_study):
        study = make_study()
        prompt = study.prompts.first()
        Survey.objects.create(study=study, prompt=prompt, number=1, seed=1)
        assert "have been created" in refused(GOOD, study=study)[0]

    def test_a_study_that_was_opened_while_the_file_was_read(self, make_study):
        study = make_study()
        Study.objects.filter(pk=study.pk).update(state="open")
        assert "is open" in refused(GOOD, study=study)[0]

    def test_a_study_that_got_another_file_meanwhile(self, make_study, monkeypatch):
        study = make_study()
        monkeypatch.setattr(
            "annotation.imports._writing.plan_for", rival(study, imports._writing)
        )
        before = study.generations.count()
        with pytest.raises(UploadError, match="changed while the file was read"):
            imports.into(
                study=study,
                format="csv",
                file=io.BytesIO(GOOD.encode()),
                file_name="b.csv",
            )
        assert study.generations.count() == before


def rival(study, writing):
    """Let another import end between the checks and the write."""
    plan_for = writing.plan_for

    def plan(*given, **more):
        Import.objects.create(study=study, format="csv", file_name="a.csv")
        return plan_for(*given, **more)

    return plan


def test_a_name_taken_while_the_file_was_read(monkeypatch):
    monkeypatch.setattr("annotation.studies.check_name", lambda name: None)
    Study.objects.create(name="new-one")
    assert refused(GOOD) == ['The name "new-one" is already used: choose another.']


class TestFilesThatWouldTakeForEver:
    """Each took minutes to hours of a web process, or all of its memory."""

    def test_a_column_for_each_byte(self):
        header = ",".join(f"c{number}" for number in range(100_000))
        assert refused(f"{header}\n") == ["line 1: 100,000 columns; the most is 1,000"]

    def test_a_key_twice_among_very_many(self):
        keys = "".join(f'"{number}":1,' for number in range(90_000))
        lines = refused(f'{{{keys}"89999":1}}', format="jsonl")
        assert lines == ['line 1: not valid JSON: the key "89999" occurs twice']

    def test_references_without_end_in_one_row(self):
        lines = refused(jsonl(references=[f"{n}" for n in range(51)]), format="jsonl")
        assert lines == ["line 1: 51 references; the most is 50"]

    def test_references_without_end_of_one_prompt(self):
        rows = (jsonl(text=f"t{n}", references=[f"r{n}"]) for n in range(51))
        lines = refused("\n".join(rows), format="jsonl")
        assert lines == [
            "line 51: the texts of this prompt have more than 50 different references"
        ]

    def test_references_of_very_many_prompts(self, settings):
        settings.UPLOAD_MAX_ROWS = 4
        rows = (
            jsonl(prefix=f"p{n}", references=["one", "two", "three"]) for n in range(3)
        )
        (line,) = refused("\n".join(rows), format="jsonl")
        assert line.startswith("The file has more than 8 ratings, means and references")

    def test_the_same_references_with_each_text_count_once(self, settings):
        settings.UPLOAD_MAX_ROWS = 2
        rows = (jsonl(text=f"t{n}", references=["1", "2", "3"]) for n in range(2))
        file = io.BytesIO("\n".join(rows).encode())
        assert len(imports.read(format="jsonl", file=file).rows) == 2

    def test_an_aspect_for_each_row(self):
        rows = (jsonl(text=f"t{n}", ratings={f"a{n}": 3}) for n in range(21))
        assert refused("\n".join(rows), format="jsonl") == [
            "21 aspects are too many: a study can have 20."
        ]


def jsonl(**given) -> str:
    fields = {"prefix": "p", "label": None, "system": "a", "text": "It shone."}
    return json.dumps({**fields, **given})


@pytest.mark.parametrize("column", ["log_probability", "top_k", "mean:c", "rating:c"])
def test_a_long_row_of_digits_is_refused_and_freezes_nobody(column):
    """The pattern of numbers once took minutes for it, and nobody else was answered."""
    (said,) = refused(f"{HEADER},{column}\nx,,a,t,{'1' * 100_000}!\n")
    assert said.startswith("line 2: ")
    assert said.endswith('11..."')


@pytest.mark.parametrize("cell", ["1e0000000000001", "0" * 60 + "4", "+.5", "5.", "-5"])
def test_numbers_are_read_in_every_usual_form(cell):
    assert imports.number(f" {cell} ") == float(cell)


@pytest.mark.parametrize("cell", ["", ".", "1e", "1.2.3", "nan", "1_0", "1²", "0" * 65])
def test_what_is_no_number_is_not_read_as_one(cell):
    assert imports.number(cell) is None
