"""Deleting many files of a bucket at once."""

from __future__ import annotations

import pytest

from evalapp import storage
from tests.evalapp.storage.test_storage import a_folder, write


def refusal(code: str) -> Exception:
    from botocore.exceptions import ClientError

    return ClientError({"Error": {"Code": code}}, "DeleteObjects")


@pytest.fixture
def asked(bucket):
    """Requests that delete, as the server gets them."""
    found: list[str] = []

    def note(model, **_):
        if model.name.startswith("Delete"):
            found.append(model.name)

    bucket.client.meta.events.register("before-call.s3", note)
    return found


def test_many_files_go_in_few_requests(asked, monkeypatch):
    monkeypatch.setattr("evalapp.storage.bucket.AT_ONCE", 2)
    for name in ("a/1", "a/2", "a/3"):
        write(name)
    storage.delete("a")  # with its own name, if it were a file
    assert storage.below("a") == []
    assert asked == ["DeleteObjects"] * 2


def test_the_list_of_a_folder_goes_first(bucket, tmp_path, monkeypatch):
    storage.keep("a", a_folder(tmp_path, x=b"1"))
    store, real = type(storage.store()), type(storage.store()).remove_all

    def cut_off(self, names):
        real(self, names)
        raise storage.Away("cut off")

    monkeypatch.setattr(store, "remove_all", cut_off)
    with pytest.raises(storage.Away):
        storage.delete("a")
    assert storage.find("a") is None
    assert storage.below("a")


def test_a_server_that_deletes_one_by_one_alone_is_asked_so(asked, monkeypatch):
    write("a/1"), write("a/2")

    def unknown(**_):
        raise refusal("MissingContentMD5")

    monkeypatch.setattr(storage.store()._client, "delete_objects", unknown)
    storage.delete("a")
    assert storage.below("a") == []
    assert set(asked) == {"DeleteObject"}


def test_a_file_that_may_not_be_deleted_is_told(bucket, monkeypatch):
    write("a")
    client = storage.store()._client

    def partly(Delete, **_):
        return {"Errors": Delete["Objects"]}

    def refuse(**_):
        raise refusal("AccessDenied")

    monkeypatch.setattr(client, "delete_objects", partly)
    monkeypatch.setattr(client, "delete_object", refuse)
    with pytest.raises(storage.Away, match="access is denied"):
        storage.delete("a")
