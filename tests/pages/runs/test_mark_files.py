"""Marks of metrics through the page and the API that take any file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.imports import undoing
from annotation.models import Upload
from scoring.models import MetricReading

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]
ADD = "/studies/ferry/import/"
API = "/api/v1/studies/ferry/imports/"


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def study(make_study):
    return make_study()


def entry(text: str, *quotes: str) -> dict[str, Any]:
    return {"mt": text, "src": "", "errors": [{"text": quote} for quote in quotes]}


def written(study, *more: dict[str, Any]) -> str:
    texts = study.generations.order_by("pk").values_list("text", flat=True)
    return json.dumps([*(entry(text, text[:5]) for text in texts[:2]), *more])


def send(client, content: str, name: str = "xcomet-xl.json", **fields: Any) -> Any:
    file = SimpleUploadedFile(name, content.encode())
    return client.post(fields.pop("to", ADD), {"file": file, **fields})


def test_the_page_says_what_a_file_would_bring_and_stores_it(client, study):
    address = send(client, written(study)).url
    assert Upload.objects.get().choices["of"] == "marks"
    page = client.get(address).content.decode()
    assert "xcomet-xl" in page
    assert not MetricReading.objects.exists()
    assert client.post(address).status_code == 302
    assert set(MetricReading.objects.values_list("metric", flat=True)) == {"xcomet-xl"}


def test_what_cannot_be_placed_is_asked_about(client, study):
    content = written(study, entry("nobody wrote this"), entry("ab ab", "zz", "yy"))
    answer = send(client, content, to=API)
    assert answer.status_code == 409
    assert len(answer.json()["errors"]) == 2  # of marks, and of texts
    assert not MetricReading.objects.exists()
    assert send(client, content, to=API, yes="true").status_code == 201
    assert MetricReading.objects.exists()


def test_the_page_asks_and_stores_once_somebody_agrees(client, study):
    address = send(client, written(study, entry("nobody wrote this"))).url
    assert client.post(address).status_code == 400
    assert not MetricReading.objects.exists()
    answer = client.post(address, {"agree-unknown-texts": "on"})
    assert answer.status_code == 302 and MetricReading.objects.exists()


def test_marks_of_a_name_that_is_there_are_replaced_once_somebody_agrees(client, study):
    assert send(client, written(study), to=API).status_code == 201
    before = set(MetricReading.objects.values_list("pk", flat=True))
    assert send(client, written(study), to=API).status_code == 409
    assert send(client, written(study), to=API, yes="true").status_code == 201
    now = set(MetricReading.objects.values_list("pk", flat=True))
    assert len(now) == len(before) and not now & before


def test_a_file_of_several_raters_is_asked_about(client, study):
    text = study.generations.first().text
    content = json.dumps([entry(text, text[:5]), entry(text, text[:9])])
    answer = send(client, content, to=API)
    assert (answer.status_code, len(answer.json()["errors"])) == (409, 1)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([entry("nobody wrote this")]),
        '[{"mt": "a", "errors": 3}, {"mt": "b", "errors": "x"}]',
    ],
)
def test_a_file_of_which_nothing_fits_is_refused(client, study, content):
    assert send(client, content, to=API, kind="marks").status_code == 400
    assert not MetricReading.objects.exists()


def test_an_import_can_be_undone(client, study, alice):
    send(client, written(study), to=API)
    record = study.imports.get()
    assert undoing.undo(record=record, user=alice, most=1000)
    assert not MetricReading.objects.exists() and not study.imports.exists()


def test_undoing_a_file_leaves_what_a_later_one_has_put_in_its_place(
    client, study, alice
):
    for _ in range(2):
        send(client, written(study), to=API, yes="true")
    first = study.imports.order_by("pk").first()
    undoing.undo(record=first, user=alice, most=1000)
    assert MetricReading.objects.exists()


def test_the_list_of_files_counts_marks(client, study):
    send(client, written(study), to=API)
    assert f"{study.imports.get().n_rows} marks" in client.get(ADD).content.decode()
