"""A bucket of an S3-compatible server, with what EvalApp needs beyond Django's API.

Every object carries the hash of its contents. Imported only where STORAGE_URL names a
bucket: the packages that it needs are in requirements-server.txt.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    IncompleteReadError,
    ReadTimeoutError,
    ResponseStreamingError,
)
from storages.backends.s3 import S3Storage

from evalapp.storage import patience
from evalapp.storage.cache import BLOCK, hash_of
from evalapp.storage.names import Away, Damaged, Refused, checked

HASH = "sha256"  # of an object's own facts
CHECK_SECONDS = 3  # who looks at the page System waits so long for a silent server
AT_ONCE = 1000  # S3 deletes no more in one request
MISSING = {"404", "NoSuchKey", "NotFound"}
CUT_OFF = (IncompleteReadError, ReadTimeoutError, ResponseStreamingError)
# Errors that may come only after a wait.
WAITED = {"ConnectTimeoutError", "EndpointConnectionError", "ReadTimeoutError"}
SILENT = "it does not answer. Start it, or correct STORAGE_URL"
ADVICE = {
    "EndpointConnectionError": SILENT,
    "ConnectTimeoutError": SILENT,
    "ConnectionClosedError": SILENT,
    "ReadTimeoutError": "it takes too long to answer. Check its load and its log",
    "NoSuchBucket": "the bucket does not exist. Create it, or correct STORAGE_URL",
    "AccessDenied": "access is denied. Allow the key to list, read, write and delete",
    "403": "access is denied. Allow the key to list, read, write and delete",
    "InvalidAccessKeyId": "it does not know the key. Correct STORAGE_URL",
    "SignatureDoesNotMatch": "the secret is wrong. Correct STORAGE_URL",
    "NoCredentialsError": "no key was found. Set one in STORAGE_URL, or in"
    " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
}

# Of whole answers: no rights, a wrong key, no room left.
REFUSALS, QUOTA = {401, 403, 507}, "Quota"


class Object(NamedTuple):
    """One stored file. `version` is another one when its contents are."""

    name: str
    bytes: int
    modified: datetime
    version: str


class Bucket(S3Storage):
    """Names are those of EvalApp, without the prefix of STORAGE_URL."""

    client_config: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._given = options
        self.patience, self._silence = patience.mine(), patience.Silence()
        patient = Config(
            connect_timeout=self.patience.connect,
            read_timeout=self.patience.read,
            retries={"total_max_attempts": self.patience.tries, "mode": "standard"},
            # Servers other than Amazon's may know no checksums of newer kinds.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        self.client_config = self.client_config.merge(patient)

    @property
    def where(self) -> str:
        """For people and for telling buckets apart. Holds no key."""
        server = self.endpoint_url or "Amazon S3"
        return "/".join(filter(None, (server, self.bucket_name, self.location)))

    def objects(self, prefix: str, *, most: int | None = None) -> Iterator[Object]:
        """All whose names begin so, in order."""
        pages = self._client.get_paginator("list_objects_v2")
        asked = {"Bucket": self.bucket_name, "Prefix": self._key(prefix)}
        if most:
            asked["PaginationConfig"] = {"MaxItems": most, "PageSize": most}
        with self._telling(prefix):
            for page in pages.paginate(**asked):
                yield from map(self._object, page.get("Contents", ()))

    def level(self, folder: str) -> tuple[list[str], list[Object]]:
        """Folders and files directly in a folder, however much lies deeper."""
        pages = self._client.get_paginator("list_objects_v2")
        prefix = self._key(f"{folder}/")
        asked = {"Bucket": self.bucket_name, "Prefix": prefix, "Delimiter": "/"}
        folders, files = [], []
        with self._telling(folder):
            for page in pages.paginate(**asked):
                inside = (one["Prefix"] for one in page.get("CommonPrefixes", ()))
                folders += [self._name(one.rstrip("/")) for one in inside]
                files += list(map(self._object, page.get("Contents", ())))
        return folders, [one for one in files if one.name != f"{folder}/"]

    def object(self, name: str) -> Object | None:
        """By a list: where the bucket is gone, asking for one object says only 404."""
        found = next(self.objects(name, most=1), None)
        return found if found and found.name == name else None

    def put(self, name: str, path: Path) -> str:
        """Store a file, unless it is there already. Its hash."""
        digest = hash_of(path)
        if self.declared(checked(name), path.stat().st_size) != digest:
            more = {"Metadata": {HASH: digest}}
            with self._telling(name):
                self._client.upload_file(
                    str(path), self.bucket_name, self._key(name), more
                )
        return digest

    def write(self, name: str, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()
        where = {"Bucket": self.bucket_name, "Key": self._key(checked(name))}
        with self._telling(name):
            self._client.put_object(**where, Body=content, Metadata={HASH: digest})

    def copy(self, name: str, to: str) -> None:
        """Within the bucket: nothing is sent."""
        source = {"Bucket": self.bucket_name, "Key": self._key(name)}
        target = {"Bucket": self.bucket_name, "Key": self._key(checked(to))}
        with self._telling(name):
            facts = self._client.head_object(**source)["Metadata"]
            # Of a large object they are not copied by themselves.
            more = {"Metadata": facts, "MetadataDirective": "REPLACE"}
            self._client.copy(source, **target, ExtraArgs=more)

    def get(self, name: str, path: Path, expected: str = "") -> str:
        """Copy a file here; its hash.

        Args:
            name: Of the file.
            path: Where to.
            expected: Its hash, where that is known from elsewhere.

        Raises:
            FileNotFoundError, Damaged, Away: There is no whole one.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for tried in range(1, self.patience.tries + 1):
            with self._telling(name):
                try:
                    found, declared = self._read(name, path)
                except CUT_OFF:
                    if tried == self.patience.tries:
                        raise
                    continue
            if found == (expected or declared or found):
                return found
        raise Damaged(
            f"The stored file {name} is damaged: its contents are not what was stored."
            f" Restore it from a backup of {self.where}, or delete it."
        )

    def verify(self, name: str, expected: str) -> None:
        """Read a file where it is stored. Raises what `get` raises."""
        self.get(name, Path(os.devnull), expected)

    def text(self, name: str) -> bytes:
        """A small file. Raises what `get` raises."""
        with self._telling(name):
            found = self._opened(name)
            content: bytes = found["Body"].read()
        if hashlib.sha256(content).hexdigest() != found["Metadata"].get(HASH):
            raise Damaged(f"The stored file {name} is damaged. Delete its folder.")
        return content

    def remove_all(self, names: list[str]) -> None:
        """In any order."""
        for at in range(0, len(names), AT_ONCE):
            some = names[at : at + AT_ONCE]
            with self._telling(some[0]):
                for key in self._refused(list(map(self._key, some))):
                    self._client.delete_object(Bucket=self.bucket_name, Key=key)

    def _refused(self, keys: list[str]) -> list[str]:
        """Delete objects in one request, and list those that were not deleted.

        Some servers know no such request, or demand its checksum of an older kind. One
        by one they delete them, or say why not.
        """
        asked = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        try:
            answer = self._client.delete_objects(Bucket=self.bucket_name, Delete=asked)
        except ClientError:
            return keys
        return [one["Key"] for one in answer.get("Errors", ())]

    def check(self) -> None:
        """Raises Away where it does not answer, soon: pages of staff ask this.

        With the patience of work, one silent server would hold up one thread of the
        site after the other, and with them the people who could rate.
        """
        asking = Bucket(**self._given)
        times = {"connect_timeout": CHECK_SECONDS, "read_timeout": CHECK_SECONDS}
        hasty = Config(**times, retries={"total_max_attempts": 1})
        asking.client_config = asking.client_config.merge(hasty)
        next(asking.objects("", most=1), None)

    @property
    def _client(self) -> Any:
        return self.connection.meta.client

    def _key(self, name: str) -> str:
        return f"{self.location}/{name}" if self.location else name

    def _name(self, key: str) -> str:
        return key.removeprefix(f"{self.location}/") if self.location else key

    def _object(self, found: dict[str, Any]) -> Object:
        name = self._name(found["Key"])
        return Object(name, found["Size"], found["LastModified"], found["ETag"])

    def declared(self, name: str, size: int) -> str:
        """The hash that a stored file of that size says it has; "" where none is."""
        where = {"Bucket": self.bucket_name, "Key": self._key(name)}
        try:
            with self._telling(name):
                found = self._client.head_object(**where)
        except FileNotFoundError:
            return ""
        same = found["ContentLength"] == size
        return found["Metadata"].get(HASH, "") if same else ""

    def _opened(self, name: str) -> dict[str, Any]:
        where = {"Bucket": self.bucket_name, "Key": self._key(checked(name))}
        found: dict[str, Any] = self._client.get_object(**where)
        return found

    def _read(self, name: str, path: Path) -> tuple[str, str]:
        """The hash of what came, and the one that it should have."""
        found, digest = self._opened(name), hashlib.sha256()
        with path.open("wb") as file:
            for block in found["Body"].iter_chunks(BLOCK):
                digest.update(block)
                file.write(block)
        return digest.hexdigest(), found["Metadata"].get(HASH, "")

    @contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        """Say what went wrong in our words, without anything that may hold a key."""
        self._silence.check()
        silent = ""
        try:
            yield
        except ClientError as error:
            code = _code(error)
            if code in MISSING:
                raise FileNotFoundError(f"{name} is not stored") from None
            raise self._failure(error) from None
        except (BotoCoreError, Boto3Error) as error:
            inner = error.__context__  # of an upload: why it failed
            if isinstance(inner, ClientError):
                raise self._failure(inner) from None
            code = type(error).__name__
            said = self._advice(code)
            silent = said if code in WAITED else ""
            raise Away(said) from None
        finally:
            self._silence.note(silent)

    def _failure(self, error: ClientError) -> Away:
        kind = Refused if _is_refusal(error) else Away
        return kind(self._advice(_code(error)))

    def _advice(self, code: str) -> str:
        said = ADVICE.get(code) or f"it answered {code}"
        return f"The storage {self.where} cannot be used now: {said}."


def _is_refusal(error: ClientError) -> bool:
    """Whether asking again is of no use until somebody has done something."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status in REFUSALS or QUOTA in _code(error)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "unknown"))
