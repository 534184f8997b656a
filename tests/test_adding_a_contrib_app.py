"""What CONTRIBUTING says of a contrib app and of a platform: a folder, and a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import programs

pytestmark = pytest.mark.slow

FILES = {
    "annotation/contrib/tides/__init__.py": "",
    "annotation/contrib/tides/apps.py": """
from evalapp import navigation
from evalapp.doors import Contrib


class TidesConfig(Contrib):
    name = "annotation.contrib.tides"
    urls = {"study": "annotation.contrib.tides.urls"}

    def ready(self):
        page = navigation.Page("Tides", "study_tides")
        navigation.add("workers", lambda study: [page], after="study_monitor")
""",
    "annotation/contrib/tides/urls.py": """
from django.http import HttpResponse
from django.urls import path

urlpatterns = [
    path("tides/", lambda request, name: HttpResponse("High"), name="study_tides")
]
""",
    "annotation/platforms/harbour.py": """
import re

from annotation.platforms._base import Platform

PLATFORM = Platform(
    title="Harbour",
    parameter="BOAT",
    shape=re.compile("[a-z]{3,9}"),
    how_to_arrive="Come by boat.",
    how_to_return="Come again.",
    how_to_reach="the harbour",
    when_nothing_is_left="Sail on.",
    home=lambda code: f"https://harbour.example.org/?code={code}",
)
""",
}
USE = """
import json
import django
from django.test.utils import setup_test_environment

django.setup()
setup_test_environment()

from django.contrib.auth.models import User
from django.test import Client

from annotation import surveys
from scoring import demo
from tests.pages.working import agreement, full_form, url

user = User.objects.create_user("kim")
study = demo._imported("ferry", user)
study.platform, study.completion_code = "harbour", "D0NE2345"
study.save()
surveys.open_study(study=study)
owner, worker = Client(), Client()
owner.force_login(user)
worker.get(study.get_worker_url(), {"BOAT": "emma"})
worker.post(url("start", study), agreement(study))
seat = study.workers.get(external_id="emma").seats.get()
worker.post(url("submit", seat), full_form(seat))
worker.post(url("finish", study))
print(json.dumps({
    "address": owner.get("/studies/ferry/tides/").status_code,
    "tabs": owner.get("/studies/ferry/workers/").content.decode(),
    "settings": owner.get("/studies/ferry/settings/").content.decode(),
    "done": worker.get(url("done", study)).content.decode(),
}))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The program with both in it. Contrib apps are looked for beside `evalapp`."""
    folder = tmp_path_factory.mktemp("program")
    programs.copied(folder, "annotation", "evalapp")
    for name, text in FILES.items():
        assert not (folder / name).exists()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_folder_brings_an_address_and_a_file_brings_people_home(
    copy, migrated
) -> None:
    found = programs.answer(copy, USE, migrated)
    assert found["address"] == 200
    assert 'href="/studies/ferry/tides/"' in found["tabs"]
    assert '<option value="harbour" selected>Harbour' in found["settings"]
    assert 'href="https://harbour.example.org/?code=D0NE2345"' in found["done"]


def test_where_contrib_leaves_it_out_the_address_is_gone(copy, migrated) -> None:
    found = programs.answer(copy, USE, migrated, CONTRIB="")
    assert found["address"] == 404 and "tides" not in found["tabs"]
    assert "https://harbour.example.org/" in found["done"]  # no contrib app
