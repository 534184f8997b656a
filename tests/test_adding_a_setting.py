"""What CONTRIBUTING says of a new setting: a field, a line, and the rest follows."""

from __future__ import annotations

import pytest

from tests.support import programs

pytestmark = pytest.mark.slow

FIELD = """    quiet_hours = models.PositiveSmallIntegerField(
        default=2, validators=[MaxValueValidator(9)]
    )
    scale_min ="""
LINE = """AMOUNT = (
    Setting("quiet_hours", "Hours between pages", "At night.", group="amount"),"""
USE = """
import json
import django
from django.test.utils import setup_test_environment

django.setup()
setup_test_environment()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

named = ["--name", "study_quiet_hours", "--verbosity", "0"]
call_command("makemigrations", "annotation", *named)
call_command("migrate", verbosity=0)

from annotation import studies
from annotation.models import Study
from annotation.setup.fixed import fixed
from scoring.replication.writing import design
from scoring.archive.restore.settings import OF_STUDY

user = User.objects.create_user("kim")
client = Client()
client.force_login(user)
URL = "/studies/ferry/settings/"
API = "/api/v1/studies/ferry/"
JSON = "application/json"


def answer(method, url, **sent):
    found = getattr(client, method)(url, sent, content_type=JSON)
    return {"status": found.status_code, **found.json()}


def save(hours):
    context = client.get(URL).context
    forms = [context["form"], *context["aspects"], context["aspects"].management_form]
    fields = [field for form in forms for field in form]
    sent = {field.html_name: field.value() for field in fields}
    sent = {key: value for key, value in sent.items() if value is not None}
    status = client.post(URL, sent | {"quiet_hours": hours}).status_code
    return [status, Study.objects.get(name="ferry").quiet_hours]


found = {
    "made": answer("post", "/api/v1/studies/", name="ferry", quiet_hours=3),
    "page": client.get(URL).content.decode(),
    "saved": save(4),
    "refused by the page": save(10),
    "changed": answer("patch", API, quiet_hours=5),
    "refused": answer("patch", API, quiet_hours=10),
    "copied": answer("post", f"{API}copy/", name="lake"),
    "fixed by opening": dict(fixed(study=Study.objects.get(name="ferry"))),
    "archive": design(study=Study.objects.get(name="ferry"))["study"],
    "restored": OF_STUDY,
}
Study.objects.update(state="open")
found["fixed"] = answer("patch", API, quiet_hours=6)
print(json.dumps(found, default=str))
"""


def test_a_field_and_a_line_bring_a_setting_everywhere(tmp_path, migrated) -> None:
    changes = {
        "models/studies.py": ("    scale_min =", FIELD),
        "studies/settings.py": ("AMOUNT = (", LINE),
    }
    found = programs.answer(programs.changed(tmp_path, changes), USE, migrated)
    assert (found["made"]["status"], found["made"]["quiet_hours"]) == (201, 3)
    assert found["page"].count('name="quiet_hours"') == 1
    assert "Hours between pages" in found["page"]
    assert (found["saved"], found["refused by the page"]) == ([302, 4], [400, 4])
    assert found["changed"]["quiet_hours"] == 5
    assert found["refused"]["status"] == 400
    assert found["refused"]["errors"][0].startswith("quiet_hours: Ensure")
    assert found["copied"]["quiet_hours"] == 5
    assert found["fixed by opening"]["Hours between pages"] == "5"
    assert found["archive"]["quiet_hours"] == 5 and "quiet_hours" in found["restored"]
    said = "quiet_hours: It is fixed since the study opened."
    assert found["fixed"]["errors"] == [said]
