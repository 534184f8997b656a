"""A bucket on an S3-compatible server of this process, and machines that share it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalapp import storage
from evalapp.storage import cache as copies

KEY, SECRET = "key-of-tests", "secret/of+tests"


@cache
def server() -> Any:
    """One for all tests of a process; it ends with it."""
    from moto.server import ThreadedMotoServer

    found = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    found.start()
    return found


def address() -> str:
    host, port = server().get_host_and_port()
    return f"{host}:{port}"


class Bucket:
    """What tests ask of the bucket that the settings name."""

    def __init__(self, settings: Any, tmp_path: Path) -> None:
        self.settings, self.tmp_path = settings, tmp_path
        self.name = f"tests-{secrets.token_hex(6)}"
        self.host = address()
        self.use()
        self.client.create_bucket(Bucket=self.name)
        self.machine("site")

    @property
    def url(self) -> str:
        secret = SECRET.replace("/", "%2F")
        return f"s3://{KEY}:{secret}@{self.host}/{self.name}/some/prefix?secure=0"

    def use(self, host: str | None = None) -> None:
        """Let the settings name it, on another server perhaps."""
        from evalapp import environment

        self.host = host or self.host
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("STORAGE_URL", self.url)
            data = environment.storage("STORAGE_URL")
        self.settings.STORAGES = {**self.settings.STORAGES, "data": data}

    def machine(self, name: str) -> Path:
        """Go on as a machine with folders of its own; its DATA_DIR."""
        storage.let_go()
        folder = self.tmp_path / name
        folder.mkdir(exist_ok=True)
        self.settings.DATA_DIR = folder
        self.settings.CACHE_DIR = folder / "cache"
        self.settings.MODELS_DIR = folder / "models"
        return folder

    @contextmanager
    def away(self) -> Iterator[None]:
        """Nothing answers while the block runs."""
        host = self.host
        self.use("127.0.0.1:1")
        yield
        self.use(host)

    @property
    def client(self) -> Any:
        return storage.store()._client  # type: ignore[attr-defined]

    def damage(self, name: str) -> None:
        """Change a stored file behind our back."""
        where = {"Bucket": self.name, "Key": f"some/prefix/{name}"}
        found = self.client.get_object(**where)
        body = found["Body"].read()
        changed = bytes([body[0] ^ 1]) + body[1:]
        self.client.put_object(**where, Body=changed, Metadata=found["Metadata"])


@contextmanager
def used(settings: Any, tmp_path: Path) -> Iterator[Bucket]:
    yield Bucket(settings, tmp_path)
    copies.let_go()
