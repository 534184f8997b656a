"""Marks of metrics, from a file to the texts of a study."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.imports import UploadError
from scoring.models import MetricReading, Signature
from scoring.runs import metric_marks
from scoring.stats.spans.files.segments import Read, Reading, Segment
from scoring.stats.spans.marks import Mark


@pytest.fixture
def study(make_study):
    return make_study()


def segment(text: str, *marks: Mark, system: str = "") -> Segment:
    return Segment(Reading(system, "", "1", "xCOMET", "", text), marks)


def keep(study, *segments: Segment) -> metric_marks.Placed:
    placed = metric_marks.placed(study=study, read=Read([*segments], []))
    metric_marks.keep(study=study, metric="xCOMET", marks=placed.marks)
    return placed


def test_marks_are_kept_with_the_words_that_they_stand_on(study):
    text = study.generations.first()
    kept = keep(study, segment(text.text, Mark(1, 3, "", "minor")))
    (reading,) = text.metric_readings.all()
    assert reading.marks == [[1, 3, "", "minor", "text", text.text[1:3]]]
    assert kept.n_marks == 1 and kept.unknown == []


def test_a_text_without_marks_was_read(study):
    text = study.generations.first()
    assert len(keep(study, segment(text.text)).marks) >= 1
    assert text.metric_readings.get().marks == []


def test_a_segment_belongs_to_the_system_that_it_names(study):
    same = study.generations.filter(system__name__in="ab").order_by("system__name")
    same.update(text="the same words")
    keep(study, segment("the same words", system="b"))
    names = MetricReading.objects.values_list("generation__system__name", flat=True)
    assert set(names) == {"b"}
    keep(study, segment("the same words", system="elsewhere"))
    assert set(names.all()) == {"a", "b"}


def test_what_the_metric_has_marked_before_is_replaced(study):
    first, second, *_ = study.generations.order_by("pk")
    keep(study, segment(first.text, Mark(0, 1)))
    keep(study, segment(second.text, Mark(0, 2)))
    ids = MetricReading.objects.values_list("generation", flat=True)
    assert second.pk in ids and first.pk not in ids


def test_of_several_readings_of_a_text_the_first_counts(study):
    text = study.generations.first()
    first, same, other = Mark(0, 1), Mark(0, 1), Mark(0, 2)
    placed = keep(study, *(segment(text.text, mark) for mark in (first, same, other)))
    assert placed.again == 1
    assert text.metric_readings.get().marks[0][:2] == [0, 1]


def test_texts_that_the_study_lacks_are_told(study):
    kept = keep(study, segment("nobody wrote this", Mark(0, 1)))
    assert [one.of.text for one in kept.unknown] == ["nobody wrote this"]
    assert not MetricReading.objects.exists()


def imported(path, *options) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    command = ("import_marks", "ferry", str(path), "--metric", "xCOMET", *options)
    call_command(*command, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_reads_a_file_and_tells_what_it_could_not_place(study, tmp_path):
    text = study.generations.first().text
    error = {"text": text[1:4], "start": 1, "severity": "major"}
    lost = {"text": "no such words", "start": 0, "severity": "major"}
    entries = [{"mt": text, "errors": [error, lost]}, {"mt": "other", "errors": []}]
    path = tmp_path / "out.json"
    path.write_text(json.dumps({"out.txt": entries}))
    out, err = imported(path)
    assert out == "1 mark in 1 text\n"
    assert "row 1, absent: no such words" in err and "not in the study: other" in err
    assert MetricReading.objects.get().marks[0][:2] == [1, 4]


def test_the_threshold_of_sentences_is_written_down(study, tmp_path):
    text = study.generations.first().text
    row = {"text": text, "sentences": [text], "scores": [0.6]}
    path = tmp_path / "align.jsonl"
    path.write_text(json.dumps(row))
    out, _ = imported(path, "--format", "sentences")
    assert out.startswith("0 marks")
    out, _ = imported(path, "--format", "sentences", "--threshold", "0.7")
    assert out.startswith("1 mark")
    assert study.imports.order_by("pk").last().options["threshold"] == 0.7


def test_a_file_that_cannot_be_read_is_an_error(study, tmp_path):
    with pytest.raises(CommandError):
        imported(tmp_path / "nowhere.json")
    path = tmp_path / "bad.json"
    path.write_text("{")
    with pytest.raises(CommandError):
        imported(path)


def test_marks_of_a_run_stay_where_a_file_has_its_name(study):
    text = study.generations.first()
    signature = Signature.objects.create(
        digest="d", text="m|v:1", metric="m", outputs=[]
    )
    text.metric_readings.create(metric="xCOMET", signature=signature)
    metric_marks.forget(study=study, metric="xCOMET")
    assert text.metric_readings.exists()


XCOMET = {"mt": "a b", "src": "x", "errors": [{"text": "b", "start": 2}]}
ESA = {
    "system": "s",
    "tgt": "a b",
    "esa_spans": [{"start_i": 2, "end_i": 3, "severity": "minor"}],
}
MQM = (
    "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    's\td\t1\tr\tx\ta <v>b</v>\tStyle\tMajor\n"s\td\t2\tr\tx\tc\tNo-error\tNo-error\n'
)
SENTENCES = {"text": "a b", "sentences": ["a", "b"], "scores": [1, 0]}
WRITTEN = {
    "xcomet": json.dumps({"out.txt": [XCOMET, {"mt": "c", "errors": []}]}),
    "esa": "\n".join(map(json.dumps, (ESA, {**ESA, "tgt": "c", "esa_spans": []}))),
    "mqm": MQM,
    "sentences": "\n".join(map(json.dumps, (SENTENCES, {"text": "c", "scores": [1]}))),
}


@pytest.mark.parametrize("format", sorted(metric_marks.FORMATS))
def test_each_format_gives_texts_with_marks_and_without(format):
    read = metric_marks.read(io.BytesIO(WRITTEN[format].encode()), format)
    assert [segment.of.text for segment in read.segments] == ["a b", "c"]
    assert [(m.start, m.end) for m in read.segments[0].marks] == [(2, 3)]
    assert read.segments[1].marks == () and read.refusals == []


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("xcomet", b"{"),
        ("xcomet", b'[{"mt": 3, "errors": []}, {"mt": "a"}]'),
        ("esa", b'{"system": "s"}\n{"system": "s", "tgt": 1, "esa_spans": []}'),
        ("mqm", b"system\tdoc\n"),
        ("mqm", MQM.encode("utf-16")),
        ("sentences", b'{"text": "a", "scores": "b"}'),
        ("sentences", b""),
    ],
)
def test_another_kind_of_file_is_refused_with_all_that_is_wrong(format, content):
    with pytest.raises(UploadError) as error:
        metric_marks.read(io.BytesIO(content), format)
    n_rows = content.count(b'"s"') if format == "esa" else 1
    assert len(error.value.lines) >= n_rows
