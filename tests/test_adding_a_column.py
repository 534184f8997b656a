"""What CONTRIBUTING says of a new column: a field, a line, and the rest follows."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.support import programs

pytestmark = pytest.mark.slow

FIELD = """    excluded_reason = models.CharField(max_length=500, blank=True)
    temperature = models.FloatField(null=True, blank=True)
"""
LINE = """        Column("temperature", "float?", "At which it was sampled"),
        Column("stratum","""
USE = """
import io
import json
from pathlib import Path

import django
from django.test.utils import setup_test_environment

django.setup()
setup_test_environment()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

named = ["--name", "text_temperature", "--verbosity", "0"]
call_command("makemigrations", "annotation", *named)
call_command("migrate", verbosity=0)

from drf_spectacular.generators import SchemaGenerator
from annotation import imports
from scoring.archive import restore
from scoring.publishing import writing
from scoring import analyses

analyses.names = lambda: ()
user = User.objects.create_user("kim")
client = Client()
client.force_login(user)
lines = [{"prefix": f"p{n}", "label": None, "system": "a", "text": "t"} for n in "123"]
file = io.BytesIO("\\n".join(map(json.dumps, lines)).encode())
run = imports.run(
    study_name="ferry", format="jsonl", file=file, file_name="f.jsonl", owner=user
)
run.study.generations.filter(prompt__prefix="p2").update(temperature=0.7)
home = Path("set")
writing.write(study=run.study, path=home, now=timezone.now())
again = restore.restore(name="again", path=home, owner=user, now=timezone.now())


def export(form):
    chunks = client.get(f"/studies/ferry/export/texts.{form}").streaming_content
    return b"".join(chunks).decode()


schemas = SchemaGenerator().get_schema(request=None, public=True)["components"]
results = {
    "csv": export("csv"),
    "jsonl": export("jsonl"),
    "card": (home / "README.md").read_text(),
    "croissant": json.loads((home / "croissant.json").read_text()),
    "restored": list(again.generations.values_list("temperature", flat=True)),
    "api": client.get("/api/v1/studies/again/generations/").json()["results"],
    "schema": schemas["schemas"]["Generation"]["properties"],
}
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory, migrated):
    changes = {
        "models/texts.py": (FIELD.splitlines(keepends=True)[0], FIELD),
        "archive/texts.py": ('        Column("stratum",', LINE),
    }
    program = programs.changed(tmp_path_factory.mktemp("program"), changes)
    return programs.answer(program, USE, migrated)


def test_a_field_and_a_line_bring_a_column_everywhere(results) -> None:
    rows = csv.DictReader(io.StringIO(results["csv"]))
    assert [row["temperature"] for row in rows] == ["", "0.7", ""]
    lines = map(json.loads, results["jsonl"].splitlines())
    assert [line["temperature"] for line in lines] == [None, 0.7, None]
    assert [text["temperature"] for text in results["api"]] == [None, 0.7, None]
    assert results["restored"] == [None, 0.7, None]


def test_its_meaning_stands_wherever_columns_are_described(results) -> None:
    assert results["schema"]["temperature"] == {
        "type": "number",
        "format": "double",
        "nullable": True,
        "description": "At which it was sampled",
    }
    assert "| `temperature` | float | At which it was sampled |" in results["card"]
    texts = next(r for r in results["croissant"]["recordSet"] if r["name"] == "texts")
    column = next(one for one in texts["field"] if one["name"] == "temperature")
    assert column["description"] == "At which it was sampled"
