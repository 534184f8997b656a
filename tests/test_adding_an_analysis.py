"""What CONTRIBUTING says of a new analysis: a folder, and the rest follows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import programs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
RESULT = """
from typing import TypedDict

from scoring.stats.estimates import Number


class Row(TypedDict):
    system: str
    words: Number


class Result(TypedDict):
    rows: list[Row]
"""
NUMBERS = """
from dataclasses import dataclass

import numpy as np

from scoring.analyses.brevity.result import Result
from scoring.stats.data import Data, Filters
from scoring.stats.estimates import Estimate, number
from scoring.stats.option import option

TITLE = "Brevity"
VERSION = 1
PLACE = 75
GROUP = "Systems"
NEEDS = frozenset({"ratings"})


@dataclass(frozen=True)
class Options(Filters):
    times: int = option(1, "Times", min=1, max=9)


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    data, rows = options.apply(data), []
    for place, system in enumerate(data.systems):
        n = int((data.texts.system == place).sum())
        texts = Estimate(float(options.times * n), n=n, signature="texts")
        rows.append({"system": system.name, "words": number(texts)})
    return {"rows": rows}
"""
PAGE = """
from scoring.analyses.brevity.result import Result
from scoring.analyses.needs import JUDGED
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table

LEAD = "Which system is brief?"
NEED = JUDGED


def sections(result: Result) -> list[Section]:
    rows = [[row["system"], Cell.of(row["words"])] for row in result["rows"]]
    table = Table(["System", "Texts"], rows, "How much each system wrote.")
    return [Section("texts", "Texts of each system", tables={"texts": table})]
"""
USE = """
import json
from io import StringIO
from pathlib import Path

import django
from django.conf import settings
from django.test.utils import setup_test_environment

django.setup()
setup_test_environment()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from annotation import studies
from annotation.models import Generation, Prompt, System
from scoring.models import Analysis
from scoring.replication import program
from scoring.results import analysing

user = User.objects.create_user("kim")
study = studies.create(name="ferry", owner=user)
prompt = Prompt.objects.create(study=study, prefix="Once", digest="d", position=0)
for name in ("a", "b"):
    system = System.objects.create(study=study, name=name)
    of = {"study": study, "prompt": prompt, "system": system}
    Generation.objects.create(key=name, sample=1, text="upon a time", **of)
client = Client()
client.force_login(user)
PAGE = "/studies/ferry/results/brevity/"
API = "/api/v1/studies/ferry/analyses/"


def printed(*command):
    out = StringIO()
    call_command("analyse", "ferry", "brevity", *command, stdout=out)
    return out.getvalue()


# Found through a link, so it is that of the original.
settings.BASE_DIR = Path.cwd()
waits = client.get(f"{API}brevity/?times=2").status_code
row = Analysis.objects.get()
analysing.ANALYSES.perform(pk=row.pk, owner="here/1/a")
found = {
    "listed": client.get(API).json(),
    "waits": waits,
    "result": client.get(f"{API}brevity/?times=2").json()["result"],
    "refused": client.get(f"{API}brevity/?times=10").status_code,
    "page": client.get(f"{PAGE}?times=2").content.decode(),
    "more": client.get("/studies/ferry/results/more/").content.decode(),
    "csv": client.get(f"{PAGE}texts.csv?times=2").content.decode(),
    "tex": client.get(f"{PAGE}texts.tex?times=2").content.decode(),
    "printed": json.loads(printed("-o", "times=3", "--json")),
    "text": printed("--text"),
    "in bundles": [name for _, name in program.files() if "brevity" in name],
}
print(json.dumps(found))
"""


FILES = {"numbers.py": NUMBERS, "result.py": RESULT, "page.py": PAGE}


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The program with the analysis in it."""
    folder = programs.copied(tmp_path_factory.mktemp("program"), "scoring")
    analysis = folder / "scoring" / "analyses" / "brevity"
    analysis.mkdir()
    (analysis / "__init__.py").touch()
    for name, words in FILES.items():
        (analysis / name).write_text(words)
    return folder


def test_a_folder_brings_an_analysis_everywhere(copy, migrated) -> None:
    found = programs.answer(copy, USE, migrated)
    assert {"name": "brevity", "title": "Brevity"} in found["listed"]
    assert (found["waits"], found["refused"]) == (202, 400)
    words = [row["words"]["value"] for row in found["result"]["rows"]]
    assert words == [2.0, 2.0]
    for part in ("Brevity", "Which system is brief?", "Texts of each system"):
        assert part in found["page"]
    assert found["page"].count('name="times"') == 1
    assert "Needs ratings by people" in found["more"]
    assert found["csv"].splitlines()[1:] == ["a,2.0,exploratory", "b,2.0,exploratory"]
    assert r"\caption{How much each system wrote." in found["tex"]
    assert found["printed"]["rows"][1]["words"]["value"] == 3.0
    assert found["text"].startswith("Texts of each system\n\n")
    assert len(found["in bundles"]) == 4


def test_the_files_are_those_that_the_door_names() -> None:
    rows = (ROOT / ".github" / "CONTRIBUTING.md").read_text().splitlines()
    (row,) = (row for row in rows if row.startswith("| an analysis |"))
    files = re.findall(r"`(\w+\.py)`", row)
    assert "`scoring/analyses/NAME/`" in row
    assert set(files) == {*FILES, "__init__.py"}
