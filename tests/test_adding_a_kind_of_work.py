"""What CONTRIBUTING says of a new kind of background work: a model, a class, a line.

In a copy of the program, workers do it, one of them is killed, and people see it. All
that is written into it is what CONTRIBUTING names: were more needed, it would fail.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scoring.processes import PATIENCE, free_port
from tests.support import programs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
MODEL = """
from django.db import models

from annotation.models.studies import Study
from evalapp.work.models import Leased


class Tally(Leased):
    TASK = "annotation.studies.tasks.tally"
    KIND = "tally"

    study = models.ForeignKey(Study, models.CASCADE, related_name="tallies")
    n_counted = models.PositiveIntegerField(default=0)
    n_texts = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "tallies"
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_tallies")
        ]
"""
WORK = """
import time

from annotation.models import Tally
from evalapp.work import leases
from evalapp.work.kinds import Work


class TallyWork(Work):
    name = "tallies"
    model = Tally
    related = ("study",)
    counted = ("n_counted", "n_texts")

    def run(self, row, report):
        if row.n_texts == 13:
            raise ValueError("thirteen texts cannot be counted")
        for n in range(row.n_counted + 1, row.n_texts + 1):
            time.sleep(0.2)
            report.renew(at_once=True, n_counted=n)
        leases.finish(row, now=report.clock())

    def words(self, job):
        return f"Counting {job.n_texts} texts"

    def jobs(self, *, study, user):
        return Tally.objects.filter(study=study)


TALLIES = TallyWork()
"""
REGISTER = """from evalapp.work import kinds, retries
        from annotation.studies.tallies import TALLIES

        kinds.register(TALLIES)"""
# New, or changed from the first to the second.
FILES = {
    "annotation/models/tallies.py": MODEL,
    "annotation/studies/tallies.py": WORK,
    "annotation/models/__init__.py": (
        "from annotation.models.votes import",
        "from annotation.models.tallies import Tally\n"
        "from annotation.models.votes import",
    ),
    "annotation/apps.py": ("from evalapp.work import kinds, retries", REGISTER),
}
USE = """
import json
import os
import signal
import subprocess
import sys

import django

django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.test.utils import setup_test_environment

setup_test_environment()
named = ["--name", "tallies", "--verbosity", "0"]
call_command("makemigrations", "annotation", *named)
call_command("migrate", verbosity=0)

from annotation import studies
from annotation.models import Tally
from evalapp.work.dispatch import wake_on_commit
from tests.scoring.processes import is_alive, wait_for

user = User.objects.create_superuser("kim")
client = Client()
client.force_login(user)
study = studies.create(name="ferry", owner=user)
tallies = [Tally.objects.create(study=study, n_texts=n) for n in (30, 13)]
wake_on_commit(Tally, [row.pk for row in tallies])


def jobs():
    listed = client.get("/api/v1/studies/ferry/work/?kind=tallies").json()["results"]
    return {job["id"]: job for job in listed}


def holder(row):
    row.refresh_from_db()
    pid = int(row.owner.split("/")[-2]) if row.state == "running" else 0
    return row.n_counted > 2 and is_alive(pid) and pid


port = sys.argv[1]
up = ["manage.py", "up", "--bind", f"127.0.0.1:{port}"]
site = subprocess.Popen([sys.executable, *up])
try:
    counted, refused = tallies
    killed = wait_for(lambda: holder(counted))
    halfway = jobs()[counted.pk]
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: all(job["state"] in ("done", "failed") for job in jobs().values()))
    counted.refresh_from_db()
finally:
    site.terminate()
    site.wait()
outcome = {
    "halfway": halfway,
    "done": jobs()[counted.pk],
    "refused": jobs()[refused.pk],
    "attempts": counted.attempt,
    "resumed by another": f"/{killed}/" not in counted.owner,
    "page": client.get("/system/").content.decode(),
}
print(json.dumps(outcome))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory, migrated) -> Path:
    """The program with the kind in it."""
    folder = tmp_path_factory.mktemp("program")
    programs.copied(folder, "annotation", "evalapp", "tests")
    for name in ("manage.py", ".pytest.ini"):
        shutil.copy(ROOT / name, folder)
    for name, change in FILES.items():
        path = folder / name
        if isinstance(change, tuple):
            words = path.read_text()
            assert words.count(change[0]) == 1
            path.write_text(words.replace(*change))
        else:
            assert not path.exists()
            path.write_text(change)
    (folder / "use.py").write_text(USE)
    (folder / "data").mkdir()
    shutil.copy(migrated, folder / "data/db.sqlite3")
    return folder


def run(copy: Path, *command: str) -> str:
    data = copy / "data"
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "evalapp.settings",
        "DATA_DIR": str(data),
        "DATABASE_URL": f"sqlite:///{data}/db.sqlite3",
        "PYTHONPATH": str(copy),
    }
    environ.pop("CELERY_BROKER_URL", None)
    process = subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env=environ,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    return process.stdout


def test_workers_do_it_and_people_see_it(copy) -> None:
    outcome = json.loads(run(copy, "use.py", str(free_port())).splitlines()[-1])
    halfway, done, refused = outcome["halfway"], outcome["done"], outcome["refused"]
    assert (halfway["words"], halfway["total"]) == ("Counting 30 texts", 30)
    assert halfway["state"] == "running" and 2 < halfway["done"] < 30
    assert (done["state"], done["done"]) == ("done", 30)
    assert outcome["attempts"] == 2 and outcome["resumed by another"]
    error = "thirteen texts cannot be counted"
    assert refused["state"] == "failed" and error in refused["error"]
    assert error in outcome["page"]


def test_the_tests_of_all_kinds_hold_for_it(copy) -> None:
    named = ["-p", "no:cacheprovider", "-n", "0", "-q", "-k", "tallies"]
    output = run(copy, "-m", "pytest", *named, "tests/evalapp/work")
    assert int(output.rpartition(" passed")[0].split()[-1]) > 40
