"""`manage.py analyse` and `manage.py bundle`: what pages show, from a terminal."""

from __future__ import annotations

import re
from io import StringIO
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from scoring import analyses
from scoring.models import Analysis
from tests.support.messages import catch


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    catch(monkeypatch, "analyse", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def said(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def test_it_computes_what_is_named(study) -> None:
    assert re.fullmatch(
        r"correlations: \d+\.\d\d s\n", said("analyse", "ferry", "correlations")
    )
    row = Analysis.objects.get()
    assert (row.name, row.state) == ("correlations", "done")


def test_without_a_name_it_computes_all(study, monkeypatch) -> None:
    monkeypatch.setattr(analyses, "names", lambda: ("correlations",))
    assert said("analyse", "ferry").count("\n") == 1


def test_what_is_fresh_is_not_computed_again(study) -> None:
    said("analyse", "ferry", "correlations")
    before = Analysis.objects.get().computed_at
    said("analyse", "ferry", "correlations")
    assert Analysis.objects.get().computed_at == before


def test_what_failed_is_tried_again(study, monkeypatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(analyses, "run", lambda *_: 1 / 0)
        with pytest.raises(CommandError, match="some analyses"):
            said("analyse", "ferry", "correlations")
    assert "ZeroDivisionError" in Analysis.objects.get().error
    said("analyse", "ferry", "correlations")
    assert Analysis.objects.get().state == "done"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["analyse", "ferry", "typo"], "There is no 'typo'. There are: "),
        (["analyse", "typo"], "There is no study named 'typo'."),
        (["bundle", "typo", "x.zip"], "There is no study named 'typo'."),
        (["bundle", "ferry", "/no/such/x.zip"], "There is no folder /no/such."),
    ],
)
def test_a_mistake_is_named(study, command, reason) -> None:
    with pytest.raises(CommandError, match=reason):
        said(*command)


def test_a_bundle_is_written_to_a_file(study, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(analyses, "names", lambda: ("correlations",))
    assert " MB" in said("bundle", "ferry", str(tmp_path / "x.zip"))
    assert "README.md" in ZipFile(tmp_path / "x.zip").namelist()
