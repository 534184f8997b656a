"""Results for Every Eval Ever: their names, and that our own reader gets them back."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from zipfile import ZipFile

import pytest

from annotation.imports import Limits
from scoring.contrib.papers import every_eval_ever
from scoring.contrib.tool_results import readers
from tests.scoring.publishing.told import NASTY, facts


def read(files: dict[str, str]):
    packed = io.BytesIO()
    with ZipFile(packed, "w") as pack:
        for name, text in files.items():
            pack.writestr(name, text)
    packed.seek(0)
    return readers.read(packed, "results.zip", Limits())


def test_systems_have_the_numbers_and_intervals_of_people() -> None:
    found = read(every_eval_ever.files(facts()))
    total = next(one for one in found.totals if one.metric == "human_mean.coherence")
    assert (total.system, total.value, total.interval) == ("a", 3.5, (3.1, 3.9))


def test_metrics_have_their_agreement_with_people() -> None:
    found = read(every_eval_ever.files(facts()))
    agreement = [
        one for one in found.totals if one.metric == "correlation_with_people.coherence"
    ]
    assert {(one.value, one.interval) for one in agreement} == {(0.3, (0.1, 0.5))}
    assert len(agreement) == 2


def test_a_judge_is_named_where_it_judged() -> None:
    mean = facts().systems[0].means[0]
    scored = replace(facts().systems[0], scores=[mean, mean])
    files = every_eval_ever.files(facts(systems=[scored]))
    (text,) = (text for name, text in files.items() if "/systems/" in name)
    record = json.loads(text)
    judged = record["evaluation_results"][2]["metric_config"]["llm_scoring"]
    assert judged["judges"][0]["model_info"]["id"] == "lab/judge-1"


def test_names_of_systems_are_no_paths() -> None:
    system = replace(facts().systems[0], name=f"../../{NASTY}")
    for name in every_eval_ever.files(facts(systems=[system])):
        assert ".." not in name
        assert name.startswith("every_eval_ever/data/ferry/")


def test_two_systems_of_like_names_have_files_of_their_own() -> None:
    systems = [replace(facts().systems[0], name=name) for name in ("x y", "x-y")]
    files = every_eval_ever.files(facts(systems=systems))
    assert sum("/systems/" in name for name in files) == 2


def test_a_system_without_a_number_has_no_file() -> None:
    names = "".join(every_eval_ever.files(facts()))
    assert ("/systems/a/" in names, "/systems/b/" in names) == (True, False)


def test_their_own_schema_finds_no_fault() -> None:
    package = pytest.importorskip(
        "every_eval_ever", reason="needs the package every-eval-ever"
    )
    jsonschema = pytest.importorskip("jsonschema")
    home = package.__path__[0]
    with open(f"{home}/schemas/eval.schema.json", encoding="utf-8") as file:
        checker = jsonschema.Draft7Validator(json.load(file))
    for text in every_eval_ever.files(facts()).values():
        assert [one.message for one in checker.iter_errors(json.loads(text))] == []
