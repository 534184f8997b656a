"""While one file of an account is read, its others get a sentence."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.assistant import working
from annotation.assistant.locks import alone
from annotation.models import Importing, Upload
from evalapp import cage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice", "own_folder")]

TABLE = b"text,system\nThe sea shone.,a\n"
SAID = "Another file of yours is being read."


@pytest.fixture
def own_folder(settings, tmp_path, monkeypatch) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr("annotation.assistant.locks.PATIENCE", 0)


def send(client, content=TABLE, follow=False):
    file = SimpleUploadedFile("texts.csv", content)
    return client.post("/studies/new/", {"file": file}, follow=follow)


def test_a_second_upload_is_refused_and_not_kept(client, alice):
    with alone(alice):
        answer = send(client)
    assert answer.status_code == 400 and SAID in answer.content.decode()
    assert not Upload.objects.exists()
    assert send(client).status_code == 302


def test_the_api_answers_that_it_is_too_much(client, alice, make_study):
    study = make_study()

    def post():
        file = SimpleUploadedFile("texts.csv", TABLE)
        return client.post(
            f"/api/v1/studies/{study.name}/uploads/",
            {"file": file, "format": "columns"},
        )

    with alone(alice):
        answer = post()
    assert answer.status_code == 429 and SAID in answer.json()["errors"][0]
    assert post().status_code == 201


def test_a_page_that_must_read_the_file_says_why_it_does_not(client, alice):
    send(client)
    upload = Upload.objects.get()
    url = upload.get_absolute_url()
    with alone(alice):
        assert client.get(url).status_code == 200  # what is known is shown
        Upload.objects.update(report=None)
        answer = client.get(url)
        assert answer.status_code == 429 and SAID in answer.content.decode()
    assert client.get(url).status_code == 200


def test_a_choice_that_comes_meanwhile_is_not_lost_in_silence(client, alice):
    page = send(client, follow=True)
    url = page.context["upload"].get_absolute_url()
    form = page.context["columns"]
    sent = {field.html_name: field.value() or "" for field in form}
    sent["role-1"] = "ignore"
    with alone(alice):
        answer = client.post(url, sent, headers={"HX-Request": "true"})
        assert answer.headers["HX-Refresh"]
        assert SAID in client.get(url).content.decode()
    assert Upload.objects.get().report is not None


def test_a_file_that_was_refused_is_not_read_for_each_look_at_its_page(
    client, monkeypatch
):
    read = []

    def pieces(file: io.BytesIO, **asked):
        read.append(file)
        raise cage.Refused("It took too long.")
        yield

    monkeypatch.setattr("evalapp.cage.pieces", pieces)
    page = send(client, b"PAR1 and so on", follow=True)
    url = page.context["upload"].get_absolute_url()
    for _ in range(3):
        assert "It took too long." in client.get(url).content.decode()
    assert len(read) == 1


def test_a_small_file_that_takes_long_is_read_once_and_then_by_a_worker(
    client, monkeypatch
):
    monkeypatch.setattr("annotation.assistant.looking.SLOW_SECONDS", -1)
    page = send(client, follow=True)
    assert Importing.objects.get().state == "queued"
    monkeypatch.setattr("annotation.imports.opened", lambda *args, **how: 1 / 0)
    assert client.get(page.context["upload"].get_absolute_url()).status_code == 200
    monkeypatch.undo()
    working.IMPORTS.perform(pk=Importing.objects.get().pk, owner="w")
    assert Upload.objects.get().report["texts"] == 1
