"""`manage.py analyse` and `manage.py bundle`: what pages show, from a terminal."""

from __future__ import annotations

import json
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


def test_json_is_the_result_with_the_options_that_were_chosen(study) -> None:
    command = ("analyse", "ferry", "drift", "-o", "repeats=3", "--json")
    result = json.loads(said(*command, "-o", "prompts=1-2"))
    made_of = result["made_of"]
    assert (made_of["analysis"], made_of["options"]["repeats"]) == ("drift", 3)
    assert made_of["options"]["prompts"] == "1-2"
    assert not Analysis.objects.exists()


def test_several_analyses_are_printed_by_their_names(study) -> None:
    results = json.loads(said("analyse", "ferry", "drift", "systems", "--json"))
    assert list(results) == ["drift", "systems"]


def test_text_has_the_title_and_the_tables_of_each_section(study) -> None:
    paragraphs = said("analyse", "ferry", "systems", "--text").split("\n\n")
    assert paragraphs[0] == "Ranked by people"
    assert paragraphs[1].startswith("4 systems on 2 prompts.")
    assert paragraphs[2].startswith("System  Texts  Mean")


def test_what_is_kept_has_the_options_that_were_chosen(study) -> None:
    said("analyse", "ferry", "systems", "-o", "without_people=1")
    assert Analysis.objects.get().options["without_people"] is True


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("repeats", "expected NAME=VALUE, got 'repeats'"),
        ("typo=3", "There is no option 'typo'. There are: systems, "),
        ("systems=z", "There is no systems 'z'. There are: a, b"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(study, option, reason) -> None:
    with pytest.raises(CommandError, match=reason):
        said("analyse", "ferry", "drift", "-o", option, "--json")
