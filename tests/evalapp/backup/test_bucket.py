"""A backup holds what lies in a bucket, and goes back into a bucket or a folder."""

from __future__ import annotations

import pytest

from evalapp import storage
from evalapp.backup import archive, database, writing
from evalapp.backup.archive import BackupError
from tests.annotation.seating import NOON
from tests.evalapp.backup.interrupting import Site, killed
from tests.evalapp.storage.test_storage import write
from tests.support.buckets import Bucket

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]

MODEL, WORK = "checkpoints/ferry/x/model", "checkpoints/.unfinished/7"
MEMBERS = {
    *("files/uploads/7", "files/parts/1/2.npz", "files/bundles/id/ferry.zip"),
    *(f"files/{MODEL}/weights", f"files/{MODEL}/sub/card", f"files/{WORK}/state.pt"),
    *("stored/models/m/weights", "files/models/mine/weights", "files/judges.toml"),
}


@pytest.fixture
def parts():
    """The module that reads and fills a bucket; nobody imports it without one."""
    from evalapp.backup import bucket

    return bucket


@pytest.fixture
def full(bucket, monkeypatch, tmp_path):
    """A bucket with one of each, and a machine with files of its own."""
    monkeypatch.setattr(database, "copy", lambda path: path.write_text("rows"))
    for name in ("uploads/7", "parts/1/2.npz", "bundles/id/ferry.zip"):
        write(name, name.encode())
    write("models/m/weights", b"weights")
    write("embeddings/left/out")
    folder(tmp_path / "made", "weights", "sub/card")
    storage.keep(MODEL, tmp_path / "made")
    for state in (b"older", b"newer"):
        (storage.work_in(WORK) / "state.pt").write_bytes(state)
        storage.keep_work(WORK, (len(state), state == b"newer"))
    home = bucket.settings.DATA_DIR
    folder(home, "judges.toml", "models/mine/weights", "uploads/not-of-the-bucket")
    return bucket


def folder(path, *names: str) -> None:
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(name)


@pytest.fixture
def made(full, tmp_path):
    writing.write(tmp_path / "x.tar", now=NOON)
    return tmp_path / "x.tar"


def test_all_that_is_kept_is_in_it(made):
    assert {*archive.check(made).members} == {*MEMBERS, database.name()}


def test_models_can_be_left_out(full, tmp_path):
    writing.write(tmp_path / "x.tar", now=NOON, models=False)
    left = {name for name in archive.check(tmp_path / "x.tar").members if "/m" in name}
    assert left == {f"files/{MODEL}/weights", f"files/{MODEL}/sub/card"}


def test_a_folder_gets_it_back(made, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = home = tmp_path / "new"
    home.mkdir()
    data = {"BACKEND": "evalapp.storage.folder.Folder"}
    settings.STORAGES = {**settings.STORAGES, "data": data}
    Site(monkeypatch).restore(made)
    for name in MEMBERS:
        assert (home / name.partition("/")[2]).is_file()
    assert (home / WORK / "state.pt").read_bytes() == b"newer"


@pytest.fixture
def other(made, settings, tmp_path):
    """Another site, with an empty bucket."""
    (tmp_path / "other").mkdir()
    return Bucket(settings, tmp_path / "other")


def test_a_bucket_gets_it_back(made, other, monkeypatch):
    Site(monkeypatch).restore(made)
    other.machine("worker")
    assert (storage.local(MODEL) / "sub/card").read_text() == "sub/card"
    assert (storage.work_in(WORK) / "state.pt").read_bytes() == b"newer"
    assert storage.local("uploads/7").read_text() == "uploads/7"
    assert storage.local("models/m/weights").read_text() == "weights"
    assert not storage.holds_files("models/mine")


def test_what_belongs_to_the_machine_stays_out_of_the_bucket(made, other, monkeypatch):
    Site(monkeypatch).restore(made)
    home = other.settings.DATA_DIR
    found = {path.relative_to(home).as_posix() for path in home.glob("[!c]*/**/*")}
    assert "models/mine/weights" in found
    assert (home / "judges.toml").is_file()
    assert not (home / "uploads").exists() and not (home / "models/m").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["_send", "_send_folder", "_send_work"])
def test_sending_goes_on_after_a_kill(made, other, monkeypatch, parts, name):
    site = Site(monkeypatch)
    with killed(parts, name):
        site.restore(made)
    site.restore(made)
    assert "continues" in site.told[0]
    assert storage.find(MODEL) and storage.find("uploads/7")
    assert (storage.work_in(WORK) / "state.pt").read_bytes() == b"newer"


def test_sending_goes_on_after_the_bucket_was_away(made, other, monkeypatch, parts):
    site = Site(monkeypatch)

    def away(*_):
        raise storage.Away("it is away")

    with monkeypatch.context() as patched:
        patched.setattr(parts, "_send", away)
        with pytest.raises(storage.Away):
            site.restore(made)
    site.restore(made)
    assert storage.local("uploads/7").read_text() == "uploads/7"


def test_a_bucket_that_is_away_is_found_before_anything_changes(
    made, other, monkeypatch
):
    site = Site(monkeypatch)
    with other.away(), pytest.raises(storage.Away):
        site.restore(made)
    assert site.rows == ""


def test_a_bucket_that_holds_something_is_not_filled(made, other, monkeypatch):
    write("uploads/8")
    with pytest.raises(BackupError, match="already holds uploads/.*another prefix"):
        Site(monkeypatch).restore(made)


def test_a_folder_that_was_cut_off_is_left_out(full, tmp_path):
    """Restored, it would be taken for a whole one."""
    write("checkpoints/ferry/half/model/weights")
    writing.write(tmp_path / "x.tar", now=NOON)
    assert "half" not in str(archive.check(tmp_path / "x.tar").members)


def test_a_folder_that_lacks_a_file_is_an_error(full, tmp_path):
    storage.delete(f"{MODEL}/weights")
    with pytest.raises(BackupError, match=f"{MODEL} is damaged: weights"):
        writing.write(tmp_path / "x.tar", now=NOON)
    assert not (tmp_path / "x.tar").exists()


def test_a_damaged_file_is_an_error(full, tmp_path):
    full.damage("parts/1/2.npz")
    with pytest.raises(BackupError, match="No backup was made. .*parts/1/2.npz"):
        writing.write(tmp_path / "x.tar", now=NOON)
    assert not list(tmp_path.glob(".evalapp-backup-*"))


def test_what_comes_goes_and_changes_meanwhile(full, tmp_path, monkeypatch, parts):
    """What a row of the database may name is there; what is gone is told."""

    def busy(path):
        path.write_text("rows")
        storage.delete("uploads/7")
        write("parts/1/2.npz", b"changed")
        write("parts/1/3.npz", b"new")
        write("uploads/8")

    def gone(store, name, *words):
        if name == "uploads/8":
            storage.delete(name)
        return real(store, name, *words)

    real = parts._fetched
    monkeypatch.setattr(database, "copy", busy)
    monkeypatch.setattr(parts, "_fetched", gone)
    written = writing.write(tmp_path / "x.tar", now=NOON)
    assert written.gone == ["files/uploads/8"]
    archive.extract(tmp_path / "x.tar", tmp_path / "out")
    home = tmp_path / "out" / "files"
    assert (home / "uploads/7").read_text() == "uploads/7"
    assert (home / "parts/1/2.npz").read_text() == "changed"
    assert (home / "parts/1/3.npz").read_text() == "new"


def test_only_what_has_changed_is_read_again(full, tmp_path, monkeypatch, parts):
    read, real = [], parts._fetched

    def fetched(store, name, *words):
        read.append(name)
        return real(store, name, *words)

    monkeypatch.setattr(parts, "_fetched", fetched)
    writing.write(tmp_path / "x.tar", now=NOON)
    assert len(read) == len(set(read)) == len(MEMBERS) - 2
