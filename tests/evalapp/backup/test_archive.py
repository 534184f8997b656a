"""A backup is believed only once all of it was read."""

from __future__ import annotations

import io
import json
import tarfile

import pytest

from evalapp.backup import archive
from evalapp.backup.archive import BackupError, Manifest, Writer


def manifest(**fields) -> Manifest:
    known = {"version": "1", "made_at": "now", "vendor": "sqlite", "migrations": []}
    return Manifest(**{**known, **fields})


A, B = "files/uploads/a", "files/models/b/c"
CONTENTS = {A: b"one", B: b"two" * 9999, "database.sqlite3": b"rows"}


@pytest.fixture
def made(tmp_path):
    """An archive of two files and a database."""
    path = tmp_path / "made.tar"
    with path.open("wb") as file:
        writer = Writer(file, manifest())
        for name, content in CONTENTS.items():
            (tmp_path / "source").write_bytes(content)
            writer.add(name, tmp_path / "source")
        writer.close()
    return path


def test_it_lists_its_members(made):
    found = archive.check(made).members
    assert {name: size for name, (size, _) in found.items()} == {
        name: len(content) for name, content in CONTENTS.items()
    }


def test_members_come_back_as_they_were(made, tmp_path):
    archive.extract(made, tmp_path / "out")
    for name, content in CONTENTS.items():
        assert (tmp_path / "out" / name).read_bytes() == content
    assert (tmp_path / "out" / A).stat().st_mode & 0o777 == 0o600


def test_one_that_was_cut_is_refused(made):
    for size in (0, 700, 20_000, made.stat().st_size - 11_000):
        made.write_bytes(made.read_bytes()[:size])
        with pytest.raises(BackupError):
            archive.check(made)


def test_one_byte_that_differs_is_found(made):
    content = bytearray(made.read_bytes())
    content[content.index(b"one")] = ord("x")
    made.write_bytes(content)
    with pytest.raises(BackupError, match=f"1 file does not match .* {A}"):
        archive.check(made)


def test_any_other_file_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"hello" * 1000)
    for path in (tmp_path / "x", tmp_path / "none", tmp_path):
        with pytest.raises(BackupError, match=r"cannot be read"):
            archive.check(path)


OTHERS = [
    *("../x", "/etc/x", "files/uploads/../../x", "files/uploads//x", "files/uploads"),
    *("files/secret_key", "files/uploads/a\nb", "files/judges.toml/x", "uploads/x"),
    *("files/other/x", "stored/uploads/x", "database.sqlite3/x", "db.sqlite3"),
]


@pytest.mark.parametrize("name", OTHERS)
def test_a_name_that_no_backup_has_is_refused(tmp_path, name):
    with tarfile.open(tmp_path / "x", "w") as tar:
        tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(BackupError, match="which no backup contains"):
        archive.check(tmp_path / "x")


@pytest.mark.parametrize("name", ["files/uploads/a\\b", "files/models/\udc80"])
def test_what_could_not_be_restored_is_not_backed_up(tmp_path, name):
    writer = Writer(io.BytesIO(), manifest())
    (tmp_path / "source").touch()
    with pytest.raises(BackupError, match=r"Rename the file"):
        writer.add(name, tmp_path / "source")


@pytest.mark.parametrize(
    "kind",
    [
        *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE),
        *(tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_SPARSE),
    ],
)
def test_what_is_no_file_is_refused(tmp_path, kind):
    with tarfile.open(tmp_path / "x", "w") as tar:
        link = tarfile.TarInfo(A)
        link.type, link.linkname = kind, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(BackupError, match="which no backup contains"):
        archive.check(tmp_path / "x")


def test_a_few_bytes_that_say_they_fill_the_disk_are_refused(tmp_path):
    with tarfile.open(tmp_path / "x", "w", format=tarfile.PAX_FORMAT) as tar:
        sparse = tarfile.TarInfo(A)
        sparse.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(2**50)}
        tar.addfile(sparse, io.BytesIO())
    with pytest.raises(BackupError, match="which no backup contains"):
        archive.check(tmp_path / "x")


def test_a_name_that_fills_the_memory_is_refused(tmp_path):
    with tarfile.open(tmp_path / "x", "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("a" * 2**17), io.BytesIO())
    with pytest.raises(BackupError, match="which no backup contains"):
        archive.check(tmp_path / "x")


def test_a_list_that_is_too_large_is_refused(made, monkeypatch):
    monkeypatch.setattr(archive, "MANIFEST_BYTES", 100)
    with pytest.raises(BackupError, match="list of files in .* is damaged"):
        archive.check(made)
    with pytest.raises(BackupError, match="too many files"):
        Writer(io.BytesIO(), manifest(made_at="x" * 100)).close()


def test_one_that_changes_after_it_was_checked_is_refused(made, tmp_path):
    archive.check(made)
    made.write_bytes(made.read_bytes().replace(b"rows", b"else"))
    with pytest.raises(BackupError, match="is damaged"):
        archive.extract(made, tmp_path / "out")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "damaged"),
        (b"[]", "damaged"),
        (b'{"format": 1}', "damaged"),
        (json.dumps(vars(manifest())).encode(), "damaged"),  # without a database
        (json.dumps({"format": 2, "version": "9"}).encode(), "newer than this one"),
    ],
)
def test_a_list_that_says_nothing_useful_is_refused(tmp_path, content, told):
    with tarfile.open(tmp_path / "x", "w") as tar:
        member = tarfile.TarInfo(archive.MANIFEST)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    with pytest.raises(BackupError, match=told):
        archive.check(tmp_path / "x")


def test_a_file_that_is_replaced_meanwhile_is_the_old_one_whole(tmp_path):
    """A size of the new file would cut the old one, or fill it up with zeros."""
    path, file = tmp_path / "source", io.BytesIO()
    path.write_bytes(b"old")

    class Replaced(type(path)):
        def open(self, *words):
            opened = super().open(*words)
            path.with_name("new").write_bytes(b"a new one")
            path.with_name("new").replace(path)
            return opened

    writer = Writer(file, manifest())
    writer.add(A, Replaced(path))
    assert writer.manifest.members[A][0] == 3


def test_a_file_that_shrinks_meanwhile_leaves_the_archive_whole(made, tmp_path):
    reader = archive._Hashing(io.BytesIO(b"ab"), 4)
    assert reader.read(3) + reader.read() == b"ab\0\0"
