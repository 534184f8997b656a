"""A restore may be killed at any point: the next one starts over, or goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from evalapp.backup import archive, database, placing, restoring, staging, writing
from evalapp.backup.archive import BackupError
from tests.annotation.seating import NOON
from tests.evalapp.backup.installed import another, rows, run
from tests.evalapp.backup.interrupting import Site, killed
from tests.evalapp.backup.test_restoring import made  # noqa: F401
from tests.scoring.processes import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = ("judges.toml", "models/m/weights", "uploads/1", "uploads/2")
OVER = ["A restore was interrupted before it changed anything. It starts over."]
ON = ["A restore of this backup was interrupted. It continues where it stopped."]


def back_up(settings, tmp_path, monkeypatch, name="x.tar", now=NOON):
    settings.DATA_DIR = tmp_path / f"old-{name}"
    for kept in KEPT:
        (settings.DATA_DIR / kept).parent.mkdir(parents=True, exist_ok=True)
        (settings.DATA_DIR / kept).write_text(kept)
    with monkeypatch.context() as patched:
        patched.setattr(database, "copy", lambda path: path.write_text("rows"))
        writing.write(tmp_path / name, now=now)
    return tmp_path / name


@pytest.fixture
def backup(settings, tmp_path, monkeypatch):
    return back_up(settings, tmp_path, monkeypatch)


@pytest.fixture
def site(settings, tmp_path, monkeypatch, backup):
    settings.DATA_DIR = tmp_path / "new"
    settings.DATA_DIR.mkdir()
    return Site(monkeypatch)


def found(settings):
    return {
        path.relative_to(settings.DATA_DIR).as_posix(): path.read_text()
        for path in settings.DATA_DIR.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("module", "name", "at", "told"),
    [
        (archive, "_digest", 7, []),  # Ctrl-C while the second is extracted
        (staging, "_mark", 1, OVER),
        (database, "put_back", 1, ON),
        (placing, "place", 1, ON),
        (placing, "_move", 2, ON),
        (restoring, "call_command", 1, ON),
        (staging, "clear", 1, ON),
    ],
)
def test_after_a_kill_it_is_restored_by_the_next(
    site, backup, settings, module, name, at, told
):
    with killed(module, name, at=at):
        site.restore(backup)
    assert site.rows == "" or told == ON
    site.restore(backup)
    assert site.told == told
    assert site.rows == "rows"
    assert found(settings) == {kept: kept for kept in KEPT}
    restoring.refuse_half()


def test_after_a_kill_before_anything_changed_another_can_be_restored(
    site, backup, settings, tmp_path, monkeypatch
):
    with killed(database, "put_back"):
        site.restore(backup)
    home = settings.DATA_DIR
    later = NOON + timedelta(days=1)
    other = back_up(settings, tmp_path, monkeypatch, "y.tar", later)
    settings.DATA_DIR = home
    site.restore(other)
    assert site.told == OVER
    assert found(settings) == {kept: kept for kept in KEPT}


def test_after_the_database_is_filled_another_is_refused(site, backup, tmp_path):
    with killed(placing, "_move", at=2):
        site.restore(backup)
    other = tmp_path / "other.tar"
    content = archive.check(backup)
    content.made_at = "later"
    rewrite(backup, other, content)
    with pytest.raises(BackupError, match="another backup was interrupted here"):
        site.restore(other)


def rewrite(backup, to, manifest):
    """The same backup, made at another time."""
    manifest.members.clear()
    out = to.parent / "out"
    archive.extract(backup, out)
    with to.open("wb") as file:
        writer = archive.Writer(file, manifest)
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            writer.add(path.relative_to(out).as_posix(), path)
        writer.close()


def test_a_database_that_was_filled_by_others_meanwhile_is_left_alone(site, backup):
    with killed(database, "put_back"):
        site.restore(backup)
    site.rows = "of others"
    with pytest.raises(BackupError, match="has been filled by something else since"):
        site.restore(backup)
    assert site.rows == "of others"


def test_a_file_that_came_meanwhile_is_left_alone(site, backup, settings):
    with killed(placing, "place"):
        site.restore(backup)
    (settings.DATA_DIR / "uploads").mkdir()
    (settings.DATA_DIR / "uploads/1").write_text("of others")
    with pytest.raises(BackupError, match=r"uploads/1 already exists"):
        site.restore(backup)
    assert found(settings)["uploads/1"] == "of others"


def test_a_folder_that_is_another_disk_gets_its_files_too(
    site, backup, settings, monkeypatch
):
    def rename(path, to):
        """As between disks, but not within one."""
        if path.parent != to.parent:
            raise OSError(18, "Invalid cross-device link")
        os.rename(path, to)

    monkeypatch.setattr("pathlib.PosixPath.rename", rename)
    with killed(placing.Path, "unlink", at=1):
        site.restore(backup)
    site.restore(backup)
    assert found(settings) == {kept: kept for kept in KEPT}


def test_a_disk_without_room_is_told_before_it_is_full(site, backup, monkeypatch):
    free = staging.shutil._ntuple_diskusage(10, 10, 3)
    monkeypatch.setattr(staging.shutil, "disk_usage", lambda _: free)
    with pytest.raises(BackupError, match="has room for 0 MB, but the backup needs"):
        site.restore(backup)


def test_the_site_does_not_start_on_half_a_restore(site, backup):
    with killed(placing, "place"):
        site.restore(backup)
    with pytest.raises(CommandError, match="was interrupted. Run the same"):
        call_command("up")


@pytest.mark.migrations
def test_the_times_of_migrations_tell_databases_apart():
    mine = database.migrations()
    assert mine and database.is_of(mine)
    assert not database.is_of([[*mine[0][:2], "2001-01-01T00:00:00+00:00"]])
    assert not database.is_of([])


KILL = """
import os, sys, django
django.setup()
from django.core.management import call_command
from evalapp.backup import database, placing
module = {"database": database, "placing": placing}[sys.argv[1]]
setattr(module, sys.argv[2], lambda *_: os._exit(9))
call_command("restore", sys.argv[3])
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", [("database", "put_back"), ("placing", "_move")])
def test_a_real_one_that_is_killed(made, tmp_path, at):  # noqa: F811
    with another(tmp_path / "new") as env:
        words = [sys.executable, "-c", KILL, *at, str(made)]
        assert subprocess.run(words, cwd=ROOT, env=env).returncode == 9
        done = run(env, "restore", made)
        assert done.returncode == 0, done.stderr
        assert ON[0] in done.stdout
        assert rows(env, "SELECT name FROM annotation_study") == [("ferry",)]
    weights = tmp_path / "new" / "checkpoints/ferry/x/weights"
    assert weights.read_text() == "checkpoints/ferry/x/weights"
