"""A small file that would fill the memory is a sentence on the page."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Upload
from tests.evalapp.cage import bombs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


def test_one_text_of_megabytes_in_all_rows(client, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    content = bombs.one_text(4_000_000, 2000)
    assert len(content) < 1_000
    sent = {"file": SimpleUploadedFile("texts.parquet", content)}
    page = client.post("/studies/new/", sent, follow=True)
    assert "Row 1 is longer than 1,280,000 bytes" in page.content.decode()
    assert Upload.objects.get().report is None
