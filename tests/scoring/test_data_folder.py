"""One `up` on a folder, and a backup before it changes the database."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from threading import Event, Thread

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import ConnectionHandler

from evalapp.work import deferred_deletion
from scoring import data_folder, pulse
from tests.scoring.processes import PATIENCE, environment, free_port, manage
from tests.scoring.working import NOON
from tests.support import migration_rows
from tests.support.looking import twice

HOLD = (
    "import sys, pathlib; from scoring import data_folder\n"
    "with data_folder.held(pathlib.Path(sys.argv[1])):\n"
    "    print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def holder(db, tmp_path, settings):
    """Another process that holds the folder."""
    other = subprocess.Popen(
        [sys.executable, "-c", f"import django; django.setup()\n{HOLD}", str(tmp_path)],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path / "other"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "held\n"
    yield other
    other.kill()
    other.communicate()


class TestLock:
    def test_a_second_one_is_refused_with_the_first_ones_process(
        self, holder, tmp_path
    ):
        with pytest.raises(data_folder.Taken) as refused, data_folder.held(tmp_path):
            pass
        assert str(refused.value) == (
            f"EvalApp already runs on {tmp_path} (process {holder.pid}). Stop it first,"
            " or give this one its own folder: DATA_DIR=/path."
        )

    @pytest.mark.slow
    def test_the_file_of_a_killed_one_locks_nobody_out(self, holder, tmp_path):
        holder.kill()
        holder.wait()
        assert (tmp_path / "up.lock").exists()
        with data_folder.held(tmp_path):
            pass

    @pytest.mark.slow
    def test_up_says_it(self, holder, tmp_path):
        env = environment(tmp_path)
        with manage(env, "up", "--bind", f"127.0.0.1:{free_port()}") as command:
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 1
        assert output.startswith(f"CommandError: EvalApp already runs on {tmp_path}")

    @pytest.mark.slow
    def test_of_two_at_one_moment_on_a_fresh_folder_one_serves(self, db, tmp_path):
        env = environment(tmp_path)
        env["DATABASE_URL"] = f"sqlite:///{tmp_path}/db.sqlite3"
        words = ("up", "--no-worker", "--bind")
        with (
            manage(env, *words, f"127.0.0.1:{free_port()}") as one,
            manage(env, *words, f"127.0.0.1:{free_port()}") as other,
        ):
            said = sorted([one.stdout.readline(), other.stdout.readline()])
        assert said[0].startswith("CommandError: EvalApp already runs on")
        assert re.match(r"EvalApp is running at http://127.0.0.1:\d+ ", said[1])


@pytest.fixture
def on_file(tmp_path, settings, db):
    """The default database is a new file of SQLite."""
    real = connections["default"]
    own = {**settings.DATABASES["default"], "NAME": str(tmp_path / "db.sqlite3")}
    own |= {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": {}}
    connections["default"] = ConnectionHandler({"default": own})["default"]
    yield connections["default"]
    connections["default"].close()
    connections["default"] = real


def test_what_is_deleted_is_in_no_file_once_the_log_is_emptied(
    on_file, tmp_path, settings
):
    """Neither among free pages nor in what SQLite wrote beside its file."""
    if "init_command" not in settings.DATABASES["default"].get("OPTIONS", {}):
        pytest.skip("the site of these tests is on PostgreSQL")
    words = "4 kilobytes of somebody" * 200
    with on_file.cursor() as cursor:
        for part in settings.DATABASES["default"]["OPTIONS"]["init_command"].split(";"):
            cursor.execute(part)
        cursor.execute("PRAGMA wal_autocheckpoint=0")
        cursor.execute("create table kept (word text)")
        cursor.execute("insert into kept values (%s), (%s)", [words, "x"])
        cursor.execute("delete from kept where word = %s", [words])
    files = [tmp_path / "db.sqlite3", tmp_path / "db.sqlite3-wal"]
    assert any(words[:99].encode() in file.read_bytes() for file in files)
    data_folder.empty_log(now=NOON)
    assert not any(b"somebody" in file.read_bytes() for file in files)
    with on_file.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (60_000,)


def test_a_reader_who_takes_long_keeps_nobody_waiting_for_the_log(
    on_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(data_folder, "LOG_WAITS", 50)
    path = tmp_path / "db.sqlite3"
    with on_file.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("create table kept (word text)")
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("begin")
        reader.execute("select * from kept").fetchall()
        with on_file.cursor() as cursor:
            cursor.execute("insert into kept values ('dear')")
        data_folder.empty_log(now=NOON)
        assert (tmp_path / "db.sqlite3-wal").stat().st_size
    data_folder.empty_log(now=NOON)
    assert not (tmp_path / "db.sqlite3-wal").stat().st_size


class TestBackup:
    def test_a_fresh_database_needs_none(self, on_file, tmp_path):
        assert data_folder.back_up(tmp_path / "backups", now=NOON) is None

    @pytest.mark.migrations
    def test_before_a_migration_it_is_kept_for_its_owner_three_times(
        self, on_file, tmp_path
    ):
        call_command("migrate", "sessions", verbosity=0)  # the others are behind
        with on_file.cursor() as cursor:
            cursor.execute("create table kept (word text)")
            cursor.execute("insert into kept values ('dear')")
        made = [
            data_folder.back_up(tmp_path / "backups", now=NOON + timedelta(days=n))
            for n in range(5)
        ]
        assert sorted((tmp_path / "backups").iterdir()) == made[2:]
        assert made[-1].stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(made[-1])) as copy:
            assert copy.execute("select word from kept").fetchall() == [("dear",)]

    def test_without_a_migration_there_is_none(self, on_file, tmp_path):
        recorder = MigrationRecorder(on_file)
        recorder.ensure_schema()
        for name in migration_rows.of_squashed_commit():
            recorder.record_applied(*name)
        assert data_folder.back_up(tmp_path / "backups", now=NOON) is None

    @pytest.mark.django_db
    def test_it_is_deleted_after_thirty_days(self, tmp_path, settings):
        settings.DATA_DIR = tmp_path
        (tmp_path / "backups").mkdir()
        before = NOON - timedelta(days=30)
        for name in (
            f"db-{before:%Y%m%d-%H%M%S-%f}.sqlite3",
            f"db-{before:%Y%m%d-%H%M%S-%f}.half",  # of an `up` that was killed
            f"db-{before + timedelta(seconds=1):%Y%m%d-%H%M%S-%f}.sqlite3",
            "of-somebody.sqlite3",
        ):
            (tmp_path / "backups" / name).touch()
        (tmp_path / "backups" / "db-renamed").touch()
        os.utime(tmp_path / "backups" / "db-renamed", (0, 0))
        assert data_folder.tidy in dict(map(reversed, pulse.CHORES))
        twice(data_folder.tidy, now=NOON - deferred_deletion.PAUSE)
        data_folder.tidy(now=NOON)  # those that are 30 days old now are noted
        assert len(list((tmp_path / "backups").iterdir())) == 4
        data_folder.tidy(now=NOON + timedelta(hours=23))
        assert len(list((tmp_path / "backups").iterdir())) == 4
        data_folder.tidy(now=NOON + deferred_deletion.PAUSE)
        left = {path.name for path in (tmp_path / "backups").iterdir()}
        assert left == {"db-20261021-120001-000000.sqlite3", "of-somebody.sqlite3"}

    @pytest.mark.django_db
    def test_a_site_without_backups_has_none_to_delete(self, tmp_path, settings):
        settings.DATA_DIR = tmp_path
        data_folder.tidy(now=NOON)


class TestMigratingAlone:
    @pytest.mark.django_db(transaction=True)
    def test_a_second_machine_waits_for_the_first(self):
        if connection.vendor != "postgresql":
            pytest.skip("only a PostgreSQL is shared by several machines")
        entered = Event()
        second = Thread(target=self._enter, args=[entered])
        with data_folder.migrating_alone():
            second.start()
            assert not entered.wait(0.5)
        assert entered.wait(30)
        second.join()

    def _enter(self, entered):
        with data_folder.migrating_alone():
            entered.set()
        connections.close_all()

    @pytest.mark.django_db
    def test_an_error_lets_the_next_one_in(self):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError), data_folder.migrating_alone():
                raise ZeroDivisionError
