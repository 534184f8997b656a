"""Databases of the commit whose migrations were squashed go on; older ones do not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from evalapp import upgrades
from evalapp.system import checking
from tests.evalapp.backup.installed import another, run
from tests.support import migration_rows

SQUASHED = ("annotation", "0001_squashed_0050_recipes")
NEWEST = ("annotation", "0050_recipes")  # of the commit
# The newest of each app but the first: what commits before it had not applied.
NEWEST_BY_APP = [
    NEWEST,
    ("scoring", "0027_runs_know_their_file"),
    ("accounts", "0004_spending_by_group"),
    ("limits", "0002_sent_requests"),
]


@pytest.fixture(autouse=True)
def files(settings):
    """Where the tests' tables are made without migrations, too."""
    settings.MIGRATION_MODULES = {}


@pytest.mark.django_db(transaction=True)
def test_a_database_of_the_commit_is_up_to_date():
    with migration_rows.replaced(migration_rows.of_squashed_commit()):
        call_command("migrate", check_unapplied=True, verbosity=0)  # else it exits
        call_command("migrate", verbosity=0)
        assert SQUASHED in MigrationRecorder(connection).applied_migrations()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lacking", NEWEST_BY_APP)
def test_an_older_database_is_refused_with_the_commit_and_stays_as_it_is(lacking):
    keys = set(migration_rows.of_squashed_commit()) - {lacking}
    with migration_rows.replaced(keys):
        with pytest.raises(CommandError) as refused:
            call_command("migrate", verbosity=0)
        assert set(MigrationRecorder(connection).applied_migrations()) == keys
        (line,) = checking.tables()
    assert str(refused.value) == line.said == upgrades.TOO_OLD
    assert line.level == checking.Level.WRONG
    assert "update EvalApp to 60d1ed25 first" in upgrades.TOO_OLD


@pytest.mark.parametrize(
    "applied",
    [
        (),
        [("limits", "0001_initial"), ("limits", "0002_sent_requests")],
        [NEWEST, SQUASHED],
    ],
    ids=["none", "one app", "no other of the same app"],
)
def test_only_part_of_an_app_is_too_old(applied):
    assert upgrades.is_older(applied) == (NEWEST in applied)


def test_of_apps_that_are_here_it_knows_what_a_later_version_has_added():
    later = ("annotation", "9999_later")
    elsewhere = ("of_some_setting", "0001_initial")
    assert upgrades.unknown([NEWEST, SQUASHED, later, elsewhere]) == [later]


@pytest.fixture
def older(tmp_path):
    """Variables of an installation on SQLite that has applied the first migration."""
    with another(tmp_path / "older") as env:
        env["DATABASE_URL"] = f"sqlite:///{tmp_path / 'older' / 'db.sqlite3'}"
        with closing(sqlite3.connect(tmp_path / "older" / "db.sqlite3")) as file:
            file.executescript(
                "create table django_migrations (id integer primary key, app text,"
                " name text, applied datetime); insert into django_migrations"
                " values (1, 'annotation', '0001_initial', '2026-11-01 00:00:00')"
            )
        yield env


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("command", ["migrate", "up", "demo"])
def test_what_migrates_at_its_start_refuses_it_in_a_sentence(older, command):
    refused = run(older, command)
    assert refused.returncode == 1
    assert refused.stderr == f"CommandError: {upgrades.TOO_OLD}\n"
    assert not list(Path(older["DATA_DIR"]).glob("backups/*"))
