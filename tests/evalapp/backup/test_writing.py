"""Backups in a folder, by time; keys apart."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from datetime import timedelta

import pytest
from django.conf import settings as configured
from django.core.management import CommandError, call_command

from evalapp.backup import archive, database, files, writing
from evalapp.backup.archive import BackupError
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def home(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path / "data"
    (settings.DATA_DIR / "uploads").mkdir(parents=True)
    monkeypatch.setattr(database, "copy", lambda path: path.write_text("copied"))
    return settings.DATA_DIR


def members(path):
    return {name.removeprefix("files/") for name in archive.check(path).members}


def test_only_its_owner_can_read_it(home, tmp_path):
    writing.write(tmp_path / "x.tar", now=NOON)
    assert stat.S_IMODE((tmp_path / "x.tar").stat().st_mode) == 0o600


def test_what_is_made_beside_the_copy_of_the_database_is_there(
    home, tmp_path, monkeypatch
):
    def busy(path):
        path.write_text("copied")
        (home / "uploads" / "late").write_text("late")
        (home / "uploads" / "early").write_text("changed")

    monkeypatch.setattr(database, "copy", busy)
    (home / "uploads" / "early").write_text("as it was")
    writing.write(tmp_path / "x.tar", now=NOON)
    found = {"uploads/early", "uploads/late", database.name()}
    assert members(tmp_path / "x.tar") == found
    archive.extract(tmp_path / "x.tar", tmp_path / "out")
    assert (tmp_path / "out/files/uploads/early").read_text() == "changed"


def test_what_is_deleted_meanwhile_is_told(home, tmp_path, monkeypatch):
    """It is in the archive if it was there before the copy of the database."""
    (home / "uploads" / "early").write_text("early")

    def busy(path):
        path.write_text("copied")
        (home / "uploads" / "early").unlink()
        (home / "uploads" / "late").write_text("late")

    def listed(**asked):
        """Deletes between the list and the reading."""
        for found in list(real(**asked)):
            (home / "uploads" / "late").unlink(missing_ok=True)
            yield found

    real = files.found
    monkeypatch.setattr(database, "copy", busy)
    monkeypatch.setattr(files, "found", listed)
    written = writing.write(tmp_path / "x.tar", now=NOON)
    assert members(tmp_path / "x.tar") == {"uploads/early", database.name()}
    assert written.gone == ["files/uploads/late"]


def test_what_is_half_written_is_left_out(home, tmp_path):
    (home / "uploads" / ".0123456789abcdef-7").write_text("half")
    writing.write(tmp_path / "x.tar", now=NOON)
    assert members(tmp_path / "x.tar") == {database.name()}


def test_links_are_not_followed(home, tmp_path):
    (home / "models").mkdir()
    (home / "models" / "far").symlink_to("/etc")
    (home / "uploads" / "far").symlink_to("/etc/hostname")
    writing.write(tmp_path / "x.tar", now=NOON)
    assert members(tmp_path / "x.tar") == {database.name()}


def test_models_can_be_left_out(home, tmp_path):
    (home / "models" / "big").mkdir(parents=True)
    (home / "models" / "big" / "weights").write_text("w")
    writing.write(tmp_path / "x.tar", now=NOON, models=False)
    writing.write(tmp_path / "y.tar", now=NOON)
    assert members(tmp_path / "x.tar") == {database.name()}
    assert members(tmp_path / "y.tar") == {database.name(), "models/big/weights"}


def test_another_backup_is_not_overwritten(home, tmp_path):
    (tmp_path / "x.tar").write_text("another")
    with pytest.raises(BackupError, match="already exists"):
        writing.write(tmp_path / "x.tar", now=NOON)
    assert (tmp_path / "x.tar").read_text() == "another"


def test_of_two_at_once_the_slower_one_is_refused(home, tmp_path, monkeypatch):
    def another(path):
        """Makes the same backup in the middle of the first."""
        monkeypatch.setattr(database, "copy", lambda path: path.write_text("faster"))
        writing.write(tmp_path / "to" / "x.tar", now=NOON)
        path.write_text("slower")

    (tmp_path / "to").mkdir()
    monkeypatch.setattr(database, "copy", another)
    with pytest.raises(BackupError, match="never replaces a file"):
        writing.write(tmp_path / "to" / "x.tar", now=NOON)
    assert [path.name for path in (tmp_path / "to").iterdir()] == ["x.tar"]
    archive.extract(tmp_path / "to" / "x.tar", tmp_path / "out")
    assert (tmp_path / "out" / database.name()).read_text() == "faster"


def test_where_there_are_no_links_nothing_is_replaced_either(tmp_path, monkeypatch):
    def link(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    for name in ("half", "other"):
        (tmp_path / name).write_text(name)
    writing._publish(tmp_path / "half", tmp_path / "x.tar")
    with pytest.raises(BackupError, match="never replaces a file"):
        writing._publish(tmp_path / "other", tmp_path / "x.tar")
    assert (tmp_path / "x.tar").read_text() == "half"


def test_what_a_killed_one_left_is_deleted_and_what_another_writes_is_not(
    home, tmp_path
):
    left, other = tmp_path / ".evalapp-backup-left", tmp_path / ".evalapp-backup-other"
    for folder in (left, other):
        folder.mkdir()
        os.utime(folder, (0, 0))
    lock = os.open(other, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    writing.write(tmp_path / "x.tar", now=NOON)
    os.close(lock)
    assert other.exists() and not left.exists()


@pytest.mark.parametrize("name", ["missing", "missing/x.tar"])
def test_a_folder_that_is_missing_is_no_file(home, tmp_path, name):
    with pytest.raises(BackupError, match="There is no folder .*missing. Create it"):
        writing.write(tmp_path / name, now=NOON)
    assert not (tmp_path / "missing").exists()


def test_one_that_fails_leaves_nothing(home, tmp_path, monkeypatch):
    def fails(path):
        path.write_text("half")
        raise BackupError("no")

    monkeypatch.setattr(database, "copy", fails)
    (tmp_path / "to").mkdir()
    with pytest.raises(BackupError):
        writing.write(tmp_path / "to" / "x.tar", now=NOON)
    assert not list((tmp_path / "to").iterdir())


def test_the_oldest_go(tmp_path):
    made = [writing.named(tmp_path, now=NOON + timedelta(days=n)) for n in range(4)]
    for path in (*made, tmp_path / "evalapp-mine.tar"):
        path.touch()
    assert writing.forget_old(tmp_path, keep=2) == made[:2]
    assert {*tmp_path.iterdir()} == {*made[2:], tmp_path / "evalapp-mine.tar"}


def test_keys_are_never_overwritten_by_others(tmp_path):
    writing.write_keys(tmp_path / "key")
    writing.write_keys(tmp_path / "key")
    assert (tmp_path / "key").read_text() == configured.SECRET_KEY
    (tmp_path / "key").write_text("another")
    with pytest.raises(BackupError, match="contains another key"):
        writing.write_keys(tmp_path / "key")
    with pytest.raises(BackupError, match="No such file or directory. Name a file"):
        writing.write_keys(tmp_path / "missing" / "key")


def test_the_command_keeps_some_in_a_folder(home, tmp_path):
    (tmp_path / "to").mkdir()
    call_command("backup", tmp_path / "to", keep=1)
    assert len(list((tmp_path / "to").glob("evalapp-*.tar"))) == 1
    with pytest.raises(CommandError, match="--keep needs a folder"):
        call_command("backup", tmp_path / "file.tar", keep=1)
