"""What both kinds of storage do: a folder, and a bucket that machines share."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from evalapp import storage

BUCKET = pytest.param("bucket", marks=pytest.mark.server)


@pytest.fixture(params=["folder", BUCKET])
def anywhere(request, settings, tmp_path):
    """Each test once with a folder, and once with a bucket."""
    if request.param == "bucket":
        request.getfixturevalue("bucket")
    else:
        settings.DATA_DIR = tmp_path


def write(name: str, content: bytes = b"some bytes") -> None:
    with storage.writing(name) as path:
        path.write_bytes(content)


def a_folder(tmp_path, **files: bytes):
    folder = tmp_path / "made"
    for name, content in files.items():
        place = folder / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folder


@pytest.mark.usefixtures("anywhere")
class TestAnyStorage:
    def test_what_was_written_is_read(self):
        write("parts/1/2.npz")
        assert storage.local("parts/1/2.npz").read_bytes() == b"some bytes"
        with storage.opened("parts/1/2.npz") as file:
            assert file.read() == b"some bytes"

    def test_what_failed_half_way_is_not_there(self):
        write("a")
        with pytest.raises(ZeroDivisionError), storage.writing("a") as path:
            path.write_bytes(b"half")
            raise ZeroDivisionError
        assert storage.local("a").read_bytes() == b"some bytes"

    def test_a_newer_one_takes_its_place(self):
        write("a")
        storage.local("a").read_bytes()
        write("a", b"newer")
        assert storage.local("a").read_bytes() == b"newer"

    def test_a_folder_is_kept_whole(self, tmp_path):
        folder = a_folder(tmp_path, a=b"A", b__c=b"C")
        storage.keep("checkpoints/lake/first/model", folder)
        assert not folder.exists()
        found = storage.local("checkpoints/lake/first/model")
        assert found.name == "model"
        assert (found / "a").read_bytes() == b"A"
        assert (found / "b" / "c").read_bytes() == b"C"

    def test_a_folder_gets_another_name(self, tmp_path):
        storage.keep("old/one", a_folder(tmp_path, a=b"A", b__c=b"C"))
        storage.move("old/one", "new/one")
        assert storage.find("old/one") is None
        assert (storage.local("new/one") / "b" / "c").read_bytes() == b"C"

    def test_what_is_not_there_is_not_found(self):
        assert storage.find("nothing") is None
        assert storage.children("nothing") == []
        assert storage.below("nothing") == []
        with pytest.raises(FileNotFoundError):
            storage.opened("nothing")

    def test_it_tells_what_lies_in_a_folder(self, tmp_path):
        for name in ("parts/1/1.npz", "parts/10/1.npz", "parts/2.npz"):
            write(name)
        found = [(one.base, one.is_folder) for one in storage.children("parts")]
        assert found == [("1", True), ("10", True), ("2.npz", False)]
        assert [one.name for one in storage.children("parts/1")] == ["parts/1/1.npz"]
        files = ["parts/1/1.npz", "parts/10/1.npz", "parts/2.npz"]
        assert storage.below("parts") == files

    def test_it_tells_how_large_and_how_old_a_file_is(self):
        write("bundles/1/a.zip")
        found = storage.find("bundles/1/a.zip")
        assert (found.bytes, found.base, found.is_folder) == (10, "a.zip", False)
        assert abs(datetime.now(UTC) - found.modified) < timedelta(hours=1)
        assert abs(found.modified - storage.written_at("bundles/1")) < timedelta(
            minutes=1
        )
        assert storage.written_at("nothing").year == 1970

    def test_what_was_deleted_is_gone(self, tmp_path):
        write("a/b")
        write("ab")
        storage.keep("a/c", a_folder(tmp_path, x=b"X"))
        storage.delete("a")
        storage.delete("a")
        assert (storage.find("a"), storage.find("a/b")) == (None, None)
        assert storage.find("a/c") is None and storage.find("ab")

    @pytest.mark.parametrize(
        "name", ["../a", "/etc/passwd", "a/../../b", "a//b", "", "a/", "a\\b", "a\0b"]
    )
    def test_no_name_leads_out_of_it(self, name):
        for verb in (storage.local, storage.find, storage.opened, storage.delete):
            with pytest.raises(SuspiciousFileOperation):
                verb(name)
        with pytest.raises(SuspiciousFileOperation), storage.writing(name) as path:
            path.touch()

    def test_work_goes_on_where_it_was_kept(self):
        folder = storage.work_in("checkpoints/.unfinished/1")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "state").write_text("1")
        storage.keep_work("checkpoints/.unfinished/1", (0, 1))
        storage.settle_work("checkpoints/.unfinished/1")
        assert (storage.work_in("checkpoints/.unfinished/1") / "state").read_text()
        storage.end_work("checkpoints/.unfinished/1")
        assert not (storage.work_in("checkpoints/.unfinished/1") / "state").exists()

    def test_only_its_owner_can_read_it(self, tmp_path):
        os.umask(0o077)  # as the settings do
        write("parts/1/1.npz")
        path = storage.local("parts/1/1.npz")
        for place in (path, path.parent, path.parent.parent):
            assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0

    def test_django_reads_it_too(self):
        storages["data"].save("uploads/x", ContentFile(b"django"))
        write("uploads/y", b"ours")
        assert storage.local("uploads/x").read_bytes() == b"django"
        assert storages["data"].open("uploads/y").read() == b"ours"


class TestFolder:
    """The default costs nothing."""

    @pytest.fixture(autouse=True)
    def folder(self, settings, tmp_path):
        settings.DATA_DIR = tmp_path

    def test_a_file_lies_where_it_always_lay(self, tmp_path):
        write("parts/1/2.npz")
        assert storage.local("parts/1/2.npz") == tmp_path / "parts" / "1" / "2.npz"
        assert sorted(one.name for one in tmp_path.rglob("*")) == [
            "1",
            "2.npz",
            "parts",
        ]

    def test_it_makes_no_query_and_no_copy(self, tmp_path, django_assert_num_queries):
        (tmp_path / "uploads").mkdir()
        (tmp_path / "uploads" / "x").touch()  # of an earlier version
        assert storage.local("uploads/x").samefile(tmp_path / "uploads" / "x")
        assert storage.work_in("checkpoints/.unfinished/7").parent.name == ".unfinished"
        assert not storage.is_remote() and storage.check() is None
        assert [one.name for one in tmp_path.iterdir()] == ["uploads"]
