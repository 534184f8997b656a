"""The files for Docker say what the schema allows, and what this repository has."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from evalapp.work import queues as known

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
    workers = ("worker", "metrics", "judges")
    taken = [queues(services[name]["command"]) for name in workers]
    assert set.union(*taken) == ALL
    assert sum(map(len, taken)) == len(ALL)  # each queue is one worker's


def test_with_gpus_no_queue_is_left_alone():
    services = read("compose.gpu.yaml")["services"]
    others = (read("compose.yaml")["services"][name] for name in ("worker", "judges"))
    commands = [one["command"] for one in (*services.values(), *others)]
    assert set.union(*map(queues, commands)) == ALL


def test_all_that_must_be_given_stands_in_the_example():
    asked = {
        name for path in FILES for name in re.findall(r"\$\{(\w+):\?", path.read_text())
    }
    example = (DEPLOY / "example.env").read_text()
    assert asked <= set(re.findall(r"^(?:# )?(\w+)=", example, re.M))


class TestSecretsByRole:
    """Who takes a process over has the secrets of its role, and no others."""

    SERVICES = read("compose.yaml")["services"]
    # What all of EvalApp's processes know: they share its database and its files.
    COMMON = {"SECRET_KEY", "DATABASE_URL", "CELERY_BROKER_URL", "STORAGE_URL"}
    OF_ROLES = {
        "site.env": {"PROLIFIC_TOKEN", "OIDC_CLIENT_SECRET", "METRICS_TOKEN"},
        "mail.env": {"EMAIL_URL"},
        "judges.env": {"LAB_KEY"},
        "common.env": set(),
    }

    @pytest.mark.parametrize(
        ("service", "files"),
        [
            ("site", ["common.env", "site.env"]),
            ("worker", ["common.env", "mail.env"]),
            ("metrics", ["common.env"]),
            ("judges", ["common.env", "judges.env"]),
        ],
    )
    def test_each_reads_the_files_of_its_role(self, service, files):
        assert self.SERVICES[service]["env_file"] == files
        more = set(self.SERVICES[service]["environment"]) - self.COMMON
        assert more <= {"PUBLIC_URL", "PULSE_FILE"}

    def test_workers_elsewhere_read_what_all_know(self):
        worker = read("compose.worker.yaml")["services"]["worker"]
        assert worker["env_file"] == ["common.env"]
        assert set(worker["environment"]) - self.COMMON == {"PUBLIC_URL", "PULSE_FILE"}

    @pytest.mark.parametrize("name", OF_ROLES)
    def test_examples_put_each_secret_in_one_file(self, name):
        example = DEPLOY / name.replace(".env", ".example.env")
        offered = set(re.findall(r"^(?:# )?(\w+)=", example.read_text(), re.M))
        secret = set.union(*self.OF_ROLES.values())
        assert offered & (secret | self.COMMON) == self.OF_ROLES[name]

    def test_compose_itself_is_given_no_secret_of_a_role(self):
        example = (DEPLOY / "example.env").read_text()
        for secret in set.union(*self.OF_ROLES.values()):
            assert secret not in example

    def test_who_opens_models_sends_no_mail_and_asks_no_judge(self):
        taken = queues(self.SERVICES["metrics"]["command"])
        assert taken == {known.GPU, known.CPU}
        of_gpus = read("compose.gpu.yaml")["services"]
        assert {q for one in of_gpus.values() for q in queues(one["command"])} == taken

    def test_nobody_commits_them(self):
        ignored = (ROOT / ".gitignore").read_text().splitlines()
        assert "/deploy/*.env" in ignored and "!/deploy/*example.env" in ignored
        # Docker is sent what is named there, and this is not.
        sent = (ROOT / ".dockerignore").read_text().splitlines()
        assert "*" in sent and not any(line.startswith("!deploy") for line in sent)

    @pytest.mark.slow
    @pytest.mark.parametrize("role", ["site", "worker", "metrics", "judges"])
    def test_each_starts_with_its_own(self, role, tmp_path):
        """Django with the variables of one role: no setting misses another's."""
        given = {
            "site": {"PROLIFIC_TOKEN": "t", "EMAIL_BY_WORKER": "True"},
            "worker": {"EMAIL_URL": "smtps://u:p@mail.example.org"},
            "judges": {"LAB_KEY": "k"},
        }.get(role, {})
        code = (
            "import django; django.setup(); from django.conf import settings as s;"
            "print(s.EMAIL_HERE, s.EMAIL_READY, bool(s.PROLIFIC_TOKEN), s.INSTITUTION,"
            " 'mail' in s.CELERY_TASK_QUEUES)"
        )
        env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **given}
        env |= {"SECRET_KEY": "k" * 50, "DJANGO_SETTINGS_MODULE": "evalapp.settings"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True
        )
        assert done.stdout.decode().split() == {
            "site": ["False", "True", "True", "None", "False"],
            "worker": ["True", "True", "False", "None", "True"],
        }.get(role, ["False", "False", "False", "None", "False"]), done.stderr


class TestBounds:
    SERVICES = read("compose.yaml")["services"]
    OURS = ("site", "worker", "metrics", "judges")

    def test_the_broker_asks_for_a_password(self):
        asked = "${REDIS_PASSWORD:?Set REDIS_PASSWORD in deploy/.env}"
        assert self.SERVICES["broker"]["command"].endswith(f"--requirepass {asked}")
        for name in self.OURS:
            broker = self.SERVICES[name]["environment"]["CELERY_BROKER_URL"]
            assert broker == f"redis://:{asked}@broker"

    @pytest.mark.parametrize("name", OURS)
    def test_ours_are_confined_watched_and_bounded(self, name):
        service = self.SERVICES[name]
        assert service["cap_drop"] == ["ALL"] and service["read_only"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert re.fullmatch(r"\$\{\w+:-[1-9]\d*g\}", service["mem_limit"])
        assert service["healthcheck"]["test"] and service["pids_limit"]

    def test_workers_elsewhere_are_as_well(self):
        here = self.SERVICES["metrics"]
        there = read("compose.worker.yaml")["services"]["worker"]
        for name in ("cap_drop", "security_opt", "mem_limit", "healthcheck"):
            assert there[name] == here[name]

    def test_images_are_named_by_exact_version_and_can_be_pinned_by_digest(self):
        example = (DEPLOY / "example.env").read_text()
        images = [one["image"] for one in self.SERVICES.values()]
        lines = (DEPLOY / "Dockerfile").read_text().splitlines()
        (python,) = (line for line in lines if line.startswith("ARG PYTHON_IMAGE="))
        froms = [line.split()[1] for line in lines if line.startswith("FROM")]
        assert set(froms) == {"${PYTHON_IMAGE}"}
        named = dict(
            re.fullmatch(r"\$\{(\w+):-(.+)\}", one).groups()
            for one in images
            if one != "evalapp"
        )
        named["PYTHON_IMAGE"] = python.partition("=")[2]
        assert len(named) == 4
        for variable, image in named.items():
            assert re.search(r":\d+\.\d+(\.\d+)?(-|$)", image), image
            assert f"# {variable}={image}@sha256:..." in example


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
