"""Pages while the storage for files is away, and copies that they let go."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import assistant
from annotation.models import Upload
from evalapp import faults, storage
from evalapp.storage import patience
from scoring.models import DataSet
from scoring.training.views import training_download
from tests.support.learner import training_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]
PAGES = (
    "/studies/ferry/export/dataset/",
    "/studies/ferry/export/dataset/download/",
    "/studies/ferry/training/learner-1/",
    "/studies/ferry/training/learner-1/model.zip",
)
API = ("/api/studies/ferry/dataset/", "/api/studies/ferry/dataset/download/")


@pytest.fixture
def site(bucket, client, monkeypatch):
    """A browser at a process that answers requests."""
    monkeypatch.setattr(patience, "_hurries", True)
    bucket.use()
    client.raise_request_exception = False
    return client


@pytest.fixture
def checkpoint(bucket, study, tmp_path):
    found = training_of(study, state="done")
    made = tmp_path / "made"
    made.mkdir()
    (made / "config.json").write_text("{}")
    storage.keep(f"{found.stored_as}/model", made)
    return found


def refused(answer) -> str:
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    return answer.content.decode()


def test_pages_with_files_ask_to_come_back(bucket, site, study, checkpoint):
    DataSet.objects.create(study=study, state="done", file="a.zip")
    file = io.BytesIO(b"id,output\n1,Text.\n")
    upload = assistant.keep(user=study.owner, file=file, file_name="a.csv")
    sent = {"file": SimpleUploadedFile("b.csv", b"id,output\n1,Text.\n")}
    with bucket.away():
        for page in (*PAGES, upload.get_absolute_url()):
            assert faults.AWAY in refused(site.get(page)), page
        assert faults.AWAY in refused(site.post("/studies/new/", sent))
        for address in API:
            assert faults.AWAY in refused(site.get(address)), address
    assert list(Upload.objects.all()) == [upload]  # none without its file


def test_a_download_that_is_broken_off_lets_the_copy_go(bucket, rf, alice, checkpoint):
    request = rf.get("/")
    request.user = alice  # without the test client, which ends iterators itself
    answer = training_download(request, "ferry", checkpoint.name)
    [copy] = storage.store().cache.folder.glob("copies/*")
    assert not storage.store().cache._dropped(copy)  # in use
    answer.close()
    assert storage.store().cache._dropped(copy)
