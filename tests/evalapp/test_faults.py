"""A part that is away is said to be: to whoever asks, and to whoever runs the site."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connections
from django.db.utils import ConnectionHandler, ProgrammingError
from django.utils import timezone

from evalapp import faults
from evalapp.system import health
from evalapp.work import heartbeats
from tests.annotation.seating import lay_out


@pytest.fixture(autouse=True)
def looked_afresh():
    health._looked.cache_clear()
    yield
    health._looked.cache_clear()


@pytest.fixture
def asked(client):
    """Answers as a browser gets them, not as exceptions."""
    client.raise_request_exception = False
    return client


@pytest.fixture
def on_file(tmp_path, settings):
    """Have every query of this test go to some file instead of its database."""
    real = connections["default"]
    made = []

    def use(path):
        own = {**settings.DATABASES["default"], "NAME": str(path)}
        own["ENGINE"] = "django.db.backends.sqlite3"
        handler = ConnectionHandler({"default": {**own, "OPTIONS": {"timeout": 0}}})
        connections["default"] = handler["default"]
        made.append(handler["default"])
        return path

    yield use
    connections["default"] = real
    for one in made:
        one.close()


@pytest.fixture
def corrupt(on_file, tmp_path):
    (tmp_path / "db.sqlite3").write_bytes(b"no database at all" * 1000)
    return on_file(tmp_path / "db.sqlite3")


def assert_kind(answer):
    assert answer.status_code == 503
    assert answer["Retry-After"] == "30"
    page = answer.content.decode()
    assert "lost. Wait a minute, then try again." in page
    assert "sqlite" not in page and "Traceback" not in page


@pytest.mark.django_db
class TestAnswers:
    def test_a_damaged_database_is_answered_with_503(self, asked, alice, corrupt):
        assert_kind(asked.get("/w/6cf9c6f6-0b06-4b0e-8a3c-25b6a8a2e06e/"))

    def test_a_database_without_tables_too(self, asked, alice, on_file, tmp_path):
        on_file(tmp_path / "empty.sqlite3")
        assert_kind(asked.get("/w/6cf9c6f6-0b06-4b0e-8a3c-25b6a8a2e06e/"))

    @pytest.mark.parametrize(
        "error",
        [
            OperationalError("database or disk is full"),
            OperationalError("connection refused"),
            OSError(errno.ENOSPC, "No space left on device"),
            OSError(errno.EROFS, "Read-only file system"),
        ],
    )
    def test_what_ends_in_such_an_error_is_to_be_tried_again(
        self, asked, make_study, monkeypatch, error
    ):
        study = make_study()
        lay_out(study)

        def fail(*args, **kwargs):
            raise error

        monkeypatch.setattr("annotation.crowd.speaking.get_object_or_404", fail)
        assert_kind(asked.get(study.get_worker_url()))

    def test_the_api_says_it_in_json(self, asked, alice, monkeypatch):
        asked.force_login(alice)
        for error, code in ((OperationalError("x"), 503), (ValueError("x"), 500)):

            def fail(*args, error=error, **kwargs):
                raise error

            monkeypatch.setattr("annotation.views.api.one_study.get_study_for", fail)
            answer = asked.get("/api/studies/ferry/")
            assert answer.status_code == code
            assert answer.json() == {
                "errors": [faults.AWAY if code == 503 else faults.BROKEN]
            }
            assert ("Retry-After" in answer) == (code == 503)

    def test_a_mistake_of_ours_stays_one(self, asked, alice, monkeypatch):
        asked.force_login(alice)

        def fail(*args, **kwargs):
            raise IntegrityError("malformed")  # words that someone wrote

        monkeypatch.setattr("annotation.views.studies.get_study_for", fail)
        answer = asked.get("/studies/ferry/")
        assert answer.status_code == 500
        assert "Something went wrong" in answer.content.decode()


class TestTold:
    @pytest.mark.parametrize(
        ("error", "advice"),
        [
            (DatabaseError("database disk image is malformed"), "put a backup in its"),
            (DatabaseError("file is not a database"), "put a backup in its place"),
            (OperationalError("no such table: x"), "Run `python manage.py migrate`"),
            (ProgrammingError('relation "x" does not exist'), "manage.py migrate"),
            (
                OperationalError("attempt to write a readonly database"),
                "permission to write",
            ),
            (OperationalError("unable to open database file"), "permission to write"),
            (OperationalError("database or disk is full"), "Free some space"),
            (OperationalError('database "x" does not exist'), "correct DATABASE_URL"),
            (
                PermissionError(errno.EACCES, "Permission denied", "/a"),
                "cannot write to /",
            ),
        ],
    )
    def test_it_says_what_to_do(self, error, advice):
        assert advice in faults.of(error).told

    def test_the_cause_of_another_error_counts(self):
        try:
            try:
                raise OSError(errno.ENOSPC, "No space left on device")
            except OSError as cause:
                raise RuntimeError("the table was not written") from cause
        except RuntimeError as error:
            assert faults.of(error).part == "files"

    @pytest.mark.parametrize("error", [ValueError("full"), BrokenPipeError(), None])
    def test_it_is_silent_of_anything_else(self, error):
        assert faults.of(error) is None


@pytest.mark.django_db
class TestHealth:
    def test_it_is_ok_without_a_login(self, client):
        answer = client.get("/health/")
        assert (answer.status_code, answer.content) == (200, b"ok\n")

    def test_it_names_the_part_that_is_away_and_nothing_else(self, client, corrupt):
        answer = client.get("/health/")
        assert (answer.status_code, answer.content) == (503, b"away: database\n")

    def test_a_folder_that_cannot_be_written_counts(self, client, settings, tmp_path):
        settings.DATA_DIR = tmp_path / "gone"
        answer = client.get("/health/")
        assert (answer.status_code, answer.content) == (503, b"away: files\n")

    def test_behind_a_proxy_it_is_not_redirected(self, client, settings):
        settings.SECURE_SSL_REDIRECT = True
        assert client.get("/health/").status_code == 200
        assert client.get("/login/").status_code == 301

    def test_without_a_broker_or_worker_pages_are_answered(
        self, client, staff, monkeypatch
    ):
        monkeypatch.delenv("CELERY_BROKER_URL", raising=False)  # celery prefers it
        monkeypatch.setattr(
            health.current_app.conf, "broker_url", "redis://:secret@127.0.0.1:1"
        )
        monkeypatch.setattr(health.current_app.conf, "broker_write_url", None)
        assert client.get("/health/").content == b"ok\n"
        client.force_login(staff)
        line = client.get("/system/line/").content.decode()
        assert "<strong>broker</strong>: The broker does not answer" in line
        assert "<strong>worker</strong>: No worker is running" in line
        assert "secret" not in line

    def test_a_worker_of_judges_alone_leaves_metrics_and_results_waiting(self):
        now = timezone.now()
        heartbeats.beat(owner="other/1/x", now=now, queues=["judges"])
        with pytest.raises(RuntimeError, match="No worker is running, so metrics"):
            health._worker()
        heartbeats.beat(owner="other/2/y", now=now, queues=["default"])
        with pytest.raises(RuntimeError, match="takes the queues gpu and cpu.*-Q gpu,"):
            health._worker()
        heartbeats.beat(owner="other/2/y", now=now, queues=["default", "cpu"])
        with pytest.raises(RuntimeError, match="takes the queue gpu, so.*-Q gpu"):
            health._worker()
        heartbeats.beat(owner="other/2/y", now=now, queues=["default"])
        heartbeats.beat(owner="other/3/z", now=now, queues=["gpu"])
        health._worker()

    def test_staff_alone_sees_the_line(self, client, alice, staff):
        client.force_login(alice)
        assert client.get("/system/").status_code == 404
        assert "/system/line/" not in client.get("/").content.decode()
        client.force_login(staff)
        assert 'hx-get="/system/line/"' in client.get("/").content.decode()


class TestStart:
    """`manage.py` says in a sentence what is wrong, with the path and what to do."""

    def start(self, folder, *words):
        environ = {**os.environ, "DATA_DIR": str(folder)}
        environ["DJANGO_SETTINGS_MODULE"] = "evalapp.settings"
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            environ.pop(name, None)
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, env=environ, capture_output=True, text=True)

    @pytest.mark.parametrize("command", ["up", "migrate"])
    def test_of_a_folder_that_cannot_be_made(self, tmp_path, command):
        (tmp_path / "file").touch()
        folder = tmp_path / "file" / "data"
        run = self.start(folder, command)
        assert run.returncode == 1
        assert run.stderr == (
            f"EvalApp cannot start. DATA_DIR={folder} cannot be created:"
            " Not a directory."
            " Choose a folder that EvalApp's user may write to: DATA_DIR=/path.\n"
        )

    def test_of_a_folder_that_cannot_be_written(self, tmp_path, monkeypatch):
        from django.core.exceptions import ImproperlyConfigured

        from evalapp import environment

        monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may always
        with pytest.raises(ImproperlyConfigured, match="cannot be written to. Choose"):
            environment.make_private(tmp_path)

    @pytest.mark.slow
    @pytest.mark.parametrize("command", ["up", "migrate"])
    def test_of_a_damaged_database(self, tmp_path, command):
        (tmp_path / "db.sqlite3").write_bytes(b"no database at all" * 1000)
        run = self.start(tmp_path, command)
        assert run.returncode == 1
        assert run.stderr == (
            f"The database {tmp_path}/db.sqlite3 is damaged (file is not a database)."
            " Stop EvalApp and put a backup in its place. Backups that `up` made are in"
            f" {tmp_path}/backups.\n"
        )


@pytest.fixture
def small_disk(tmp_path):
    """A disk of a few pages, where this machine lets us have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    if not mount or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_by_its_name(small_disk, settings, client, db):
    line = sqlite3.connect(small_disk / "db.sqlite3")
    line.execute("create table x (y)")
    with pytest.raises(sqlite3.OperationalError) as full:
        while True:
            line.execute("insert into x values (zeroblob(10000))")
            line.commit()
    line.close()
    told = faults.of(OperationalError(*full.value.args)).told
    assert "is on a disk that is full" in told
    (small_disk / "fill").open("wb").truncate(0)
    with pytest.raises(OSError), (small_disk / "fill").open("wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()
    settings.DATA_DIR = small_disk
    assert client.get("/health/").content == b"away: files\n"
    assert "Free some space" in health.problems()["files"]
