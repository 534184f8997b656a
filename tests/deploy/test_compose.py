"""The files for Docker say what the schema allows, and what this repository has."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import jsonschema
import pytest
import yaml

from evalapp.queue import queues as known

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
# Of the Compose Specification, commit 170098b (Apache-2.0).
SCHEMA = Path(__file__).with_name("compose-spec.json")
VALID = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()))
ALL = set(known.ALL)
FILES = sorted(DEPLOY.glob("compose*.yaml"))


def read(name: str | Path) -> dict:
    return yaml.safe_load((DEPLOY / name).read_text())


def workers():
    for path in FILES:
        for name, service in read(path)["services"].items():
            if str(service.get("command", "")).startswith("celery"):
                yield pytest.param(service["command"], id=f"{path.stem}-{name}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_compose_file_is_valid(path):
    VALID.validate(read(path))


def test_the_schema_refuses_a_misspelt_word():
    wrong = read("compose.yaml")
    wrong["services"]["site"]["heathcheck"] = {}
    with pytest.raises(jsonschema.ValidationError, match="heathcheck"):
        VALID.validate(wrong)


def queues(command: str) -> set[str]:
    words = shlex.split(command)
    return set(
        re.sub(r"\$\{\w+:-(.*)\}", r"\1", words[words.index("-Q") + 1]).split(",")
    )


@pytest.mark.parametrize("command", list(workers()))
def test_workers_take_queues_that_exist(command):
    assert queues(command) <= ALL


def test_the_workers_of_one_machine_take_all_queues():
    services = read("compose.yaml")["services"]
    taken = [queues(services[name]["command"]) for name in ("worker", "judges")]
    assert set.union(*taken) == ALL


def test_with_gpus_no_queue_is_left_alone():
    services = read("compose.gpu.yaml")["services"]
    judges = read("compose.yaml")["services"]["judges"]
    commands = [*(one["command"] for one in services.values()), judges["command"]]
    assert set.union(*map(queues, commands)) == ALL


def test_all_that_must_be_given_stands_in_the_example():
    asked = {
        name for path in FILES for name in re.findall(r"\$\{(\w+):\?", path.read_text())
    }
    example = (DEPLOY / "example.env").read_text()
    assert asked <= set(re.findall(r"^(?:# )?(\w+)=", example, re.M))


class TestImage:
    LINES = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ").splitlines()

    def copied(self):
        for line in self.LINES:
            if line.startswith("COPY") and "--from" not in line:
                yield from shlex.split(line)[1:-1]

    def test_it_takes_what_exists(self):
        assert all((ROOT / name).exists() for name in self.copied())

    def test_it_leaves_out_nothing_that_runs(self):
        wanted = {
            "manage.py",
            "annotation",
            "evalapp",
            "scoring",
            "static",
            "templates",
        }
        assert wanted <= set(self.copied())

    def test_docker_is_sent_all_that_it_copies(self):
        sent = (ROOT / ".dockerignore").read_text()
        assert all(f"\n!{name}\n" in sent for name in self.copied())

    def test_it_does_not_run_as_root(self):
        assert "USER evalapp" in self.LINES
