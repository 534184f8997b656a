"""A bucket: copies on each machine, damage, servers that are away."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evalapp import faults, storage
from evalapp.storage import cache
from tests.evalapp.storage.test_storage import a_folder, write
from tests.support.buckets import KEY, SECRET

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def shared(bucket):
    return bucket


@pytest.fixture
def fetched(monkeypatch):
    """Names of the files that were copied here."""
    store = type(storage.store())
    found, real = [], store._read

    def read(self, name, path):
        found.append(name)
        return real(self, name, path)

    monkeypatch.setattr(store, "_read", read)
    return found


def copy_of(name: str) -> Path:
    path = storage.local(name)
    storage.let_go()
    return path


class TestCopies:
    def test_another_machine_reads_it(self, bucket):
        write("a/b.zip")
        other = bucket.machine("worker")
        path = storage.local("a/b.zip")
        assert path.is_relative_to(other / "cache") and path.name == "b.zip"
        assert path.read_bytes() == b"some bytes"

    def test_it_is_copied_once(self, fetched):
        write("a")
        assert copy_of("a") == copy_of("a")
        assert fetched == ["a"]

    def test_threads_that_want_it_at_once_copy_it_once(self, fetched):
        write("a", b"x" * 3_000_000)
        sizes = []

        def read():
            with storage.opened("a") as file:
                sizes.append(len(file.read()))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sizes == [3_000_000] * 4
        assert fetched == ["a"]

    @pytest.mark.slow
    def test_processes_that_want_it_at_once_copy_it_once(self, bucket, tmp_path):
        write("a", b"x" * 3_000_000)
        program = (
            "import django; django.setup()\n"
            "from evalapp import storage\n"
            "kind = type(storage.store()); real = kind._read\n"
            "kind._read = lambda *a: print('fetched') or real(*a)\n"
            "print(storage.local('a').stat().st_size)\n"
        )
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "evalapp.settings",
            "DATA_DIR": str(tmp_path / "third"),
            "STORAGE_URL": bucket.url,
        }
        command = [sys.executable, "-c", program]
        running = [
            subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        said = [one.communicate(timeout=300)[0].split() for one in running]
        assert [words[-1] for words in said] == ["3000000"] * 2
        assert sum(words.count("fetched") for words in said) == 1

    def test_a_damaged_copy_is_fetched_again(self, fetched):
        write("a")
        path = copy_of("a")
        path.write_bytes(b"some byteS")
        os.utime(path, (1, 1))
        assert copy_of("a").read_bytes() == b"some bytes"
        assert fetched == ["a", "a"]

    def test_a_damaged_copy_in_use_keeps_nobody_waiting(self, fetched):
        write("a")
        path = storage.local("a")  # in use from now on
        opened = path.open("rb")
        path.write_bytes(b"damage")
        found = []
        reader = threading.Thread(
            target=lambda: found.append(storage.local("a")), daemon=True
        )
        reader.start()
        reader.join(timeout=20)
        assert found == [path]
        assert path.read_bytes() == b"some bytes"
        assert opened.read() == b"damage"  # not a mixture of both

    @pytest.mark.parametrize("facts", ["{}", "[]", '{"files": ["a"]}', '{"bytes": 1'])
    def test_damaged_facts_of_a_copy_stop_nobody(self, monkeypatch, facts):
        write("a"), write("b")
        copy = copy_of("a")
        (copy.parent / cache.FACTS).write_text(facts)
        monkeypatch.setattr(cache, "_unseen", None)  # so that it looks for room
        assert copy_of("b").read_bytes() == b"some bytes"
        assert copy_of("a").read_bytes() == b"some bytes"

    def test_another_process_reads_a_copy_before_it_trusts_it(self, fetched):
        write("a")
        path = copy_of("a")
        times = path.stat()
        path.write_bytes(b"some byteS")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        cache._looked.clear()  # as in another process
        assert copy_of("a").read_bytes() == b"some bytes"

    def test_a_half_copy_is_fetched_again(self, fetched):
        write("a")
        path = copy_of("a")
        (path.parent / cache.FACTS).unlink()  # it is written last
        path.write_bytes(b"some")
        assert copy_of("a").read_bytes() == b"some bytes"

    def test_a_transfer_that_is_cut_off_is_tried_again(self, monkeypatch):
        from botocore.exceptions import IncompleteReadError

        write("a")
        store, cut = type(storage.store()), [1]
        real = store._read

        def read(self, name, path):
            if cut:
                cut.pop()
                path.write_bytes(b"so")
                raise IncompleteReadError(actual_bytes=2, expected_bytes=10)
            return real(self, name, path)

        monkeypatch.setattr(store, "_read", read)
        assert copy_of("a").read_bytes() == b"some bytes"


class TestRoom:
    @pytest.fixture(autouse=True)
    def small(self, settings, monkeypatch):
        settings.CACHE_MAX_BYTES = 1000
        monkeypatch.setattr(cache, "_unseen", None)

    def put(self, *names: str) -> None:
        for name in names:
            write(name, name.encode() * 400)

    def there(self, bucket) -> list[str]:
        found = (bucket.settings.CACHE_DIR / "copies").glob("*/?")
        return sorted(path.name for path in found)

    def test_what_was_not_used_for_longest_goes_first(self, bucket):
        self.put("a", "b", "c")
        for age, name in ((1, "a"), (2, "b")):
            os.utime(copy_of(name).parent / cache.FACTS, (age, age))
        copy_of("a")
        copy_of("c")
        assert self.there(bucket) == ["a", "c"]

    def test_what_is_in_use_stays(self, bucket):
        self.put("a", "b", "c")
        held = storage.local("a")
        os.utime(held.parent / cache.FACTS, (1, 1))
        copy_of_b = storage.local("b")
        storage.local("c")
        assert held.exists() and copy_of_b.exists()  # more than fits
        storage.let_go()
        write("d", b"d" * 400)
        copy_of("d")
        assert self.there(bucket) == ["c", "d"]

    def test_what_a_killed_process_left_of_one_goes_too(self, bucket):
        self.put("a", "b")
        half = copy_of("a")
        (half.parent / cache.FACTS).unlink()  # deleted first
        copy_of("b")
        assert not half.exists()

    def test_what_was_lent_is_in_use_only_meanwhile(self, bucket):
        self.put("a", "b", "c")
        with storage.lent("a") as held:
            os.utime(held.parent / cache.FACTS, (1, 1))
            copy_of("b"), copy_of("c")
            assert held.exists()
        write("d", b"d" * 400)
        copy_of("d")
        assert not held.exists()

    def test_one_that_is_larger_than_all_room_can_be_read(self, bucket):
        write("a", b"a" * 5000)
        assert len(copy_of("a").read_bytes()) == 5000

    def test_an_open_file_outlives_its_copy(self):
        self.put("a", "b", "c")
        file = storage.opened("a")
        copy_of("b"), copy_of("c")
        assert file.read() == b"a" * 400


class TestDamage:
    def test_a_damaged_file_is_an_error_that_says_so(self, bucket):
        write("parts/1/1.npz")
        bucket.damage("parts/1/1.npz")
        with pytest.raises(storage.Damaged, match=r"parts/1/1\.npz is damaged"):
            storage.local("parts/1/1.npz")

    def test_a_damaged_file_of_a_folder_too(self, bucket, tmp_path):
        storage.keep("some/model", a_folder(tmp_path, a=b"A", b__c=b"C"))
        bucket.damage("some/model/b/c")
        with pytest.raises(storage.Damaged, match="some/model/b/c is damaged"):
            storage.local("some/model")

    def test_the_contents_of_a_folder_are_told_if_it_is_whole(self, tmp_path):
        storage.keep("some/model", a_folder(tmp_path, a=b"A", b__c=b"C"))
        assert {*storage.store().contents("some/model")} == {"a", "b/c"}
        write("cut/off/a")
        with pytest.raises(FileNotFoundError):
            storage.store().contents("cut/off")

    def test_a_folder_that_lacks_a_file_says_which(self, tmp_path):
        storage.keep("some/model", a_folder(tmp_path, a=b"A", b__c=b"C"))
        storage.store().remove_all(["some/model/b/c"])
        with pytest.raises(storage.Damaged, match="b/c is missing"):
            storage.local("some/model")

    def test_a_folder_that_was_cut_off_is_none(self, tmp_path):
        storage.store().put("some/model/a", a_folder(tmp_path, a=b"A") / "a")
        assert storage.find("some/model") is None
        with pytest.raises(FileNotFoundError):
            storage.local("some/model")


class TestByHand:
    """An operator copies a model into the bucket with any tool."""

    @pytest.fixture(autouse=True)
    def model(self, bucket):
        for name, body in (("config.json", b"{}"), ("w.safetensors", b"w" * 999)):
            key = f"some/prefix/models/lab/one/{name}"
            bucket.client.put_object(Bucket=bucket.name, Key=key, Body=body)

    def test_it_is_copied_as_it_is(self):
        found = storage.local("models/lab/one")
        assert sorted(p.name for p in found.iterdir()) == [
            "config.json",
            "w.safetensors",
        ]

    def test_its_outline_takes_no_room(self, fetched):
        found = storage.outline("models/lab/one")
        assert (found / "config.json").read_bytes() == b"{}"
        weights = (found / "w.safetensors").stat()
        assert (weights.st_size, weights.st_blocks) == (999, 0)
        assert fetched == ["models/lab/one/config.json"]

    def test_keys_that_lead_elsewhere_are_refused(self, bucket):
        key = "some/prefix/models/lab/one/../../../x"
        bucket.client.put_object(Bucket=bucket.name, Key=key, Body=b"x")
        with pytest.raises(Exception, match="not a valid name for a stored file"):
            storage.local("models/lab/one")
        assert not list(bucket.settings.DATA_DIR.rglob("x"))


class TestWork:
    NAME = "checkpoints/.unfinished/1"

    def step(self, content: str, order: tuple[int, int]) -> None:
        folder = storage.work_in(self.NAME)
        (folder / "state").write_text(content)
        (folder / "given").write_text("the same")
        storage.keep_work(self.NAME, order)

    def test_what_was_kept_last_is_told_without_a_copy(self, bucket):
        self.step("one", (0, 1))
        self.step("two", (1, 1))
        name, digest = storage.store().kept_work(self.NAME)["state"]
        storage.store().verify(name, digest)
        assert storage.store().text(name) == b"two"

    def test_another_machine_goes_on_with_the_last_state(self, bucket):
        self.step("one", (0, 1))
        bucket.machine("worker")
        assert (storage.work_in(self.NAME) / "state").read_text() == "one"
        self.step("two", (1, 1))
        bucket.machine("site")
        assert (storage.work_in(self.NAME) / "state").read_text() == "two"

    def test_the_same_machine_is_ahead_of_what_was_kept(self):
        self.step("one", (0, 1))
        (storage.work_in(self.NAME) / "state").write_text("more")
        assert (storage.work_in(self.NAME) / "state").read_text() == "more"

    def test_one_that_lost_it_does_not_turn_it_back(self, bucket):
        self.step("one", (0, 1))
        bucket.machine("worker")
        self.step("two", (1, 1))
        bucket.machine("late")
        storage.work_in(self.NAME)
        self.step("old", (0, 2))
        bucket.machine("next")
        assert (storage.work_in(self.NAME) / "state").read_text() == "two"

    def test_what_is_not_needed_any_more_is_deleted(self):
        self.step("one", (0, 1))
        assert len(storage.below(self.NAME)) == 3  # a list and two files
        self.step("two", (1, 1))
        assert len(storage.below(self.NAME)) == 5  # what did not change is sent once
        storage.settle_work(self.NAME)
        assert len(storage.below(self.NAME)) == 3
        storage.end_work(self.NAME)
        assert not storage.below(self.NAME)


class TestAway:
    def test_one_sentence_says_what_to_do_and_no_secret(self, bucket):
        with bucket.away(), pytest.raises(storage.Away) as caught:
            storage.check()
        said = str(caught.value)
        assert said == (
            f"The storage http://127.0.0.1:1/{bucket.name}/some/prefix cannot be used"
            " now: it does not answer. Start it, or correct STORAGE_URL."
        )
        assert KEY not in said and SECRET not in said

    def test_no_verb_takes_silence_for_nothing(self, bucket, tmp_path):
        write("a")
        with bucket.away():
            for verb in (storage.find, storage.local, storage.children, storage.below):
                with pytest.raises(storage.Away):
                    verb("a")
            with pytest.raises(storage.Away):
                write("b")
        assert storage.find("b") is None

    def test_a_bucket_that_is_gone_is_not_an_empty_one(self, bucket):
        bucket.name = "tests-gone"
        bucket.use()
        for verb in (storage.find, storage.local, storage.children):
            with pytest.raises(
                storage.Away, match="the bucket does not exist. Create it"
            ):
                verb("a")
        with pytest.raises(storage.Away, match="the bucket does not exist"):
            write("a")

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("AccessDenied", "Allow the key to list, read, write and delete"),
            ("InvalidAccessKeyId", "it does not know the key"),
            ("SlowDown", "it answered SlowDown"),
        ],
    )
    def test_a_refusal_says_why(self, monkeypatch, code, said):
        from botocore.exceptions import ClientError

        def refuse(self, prefix, most=None):
            with self._telling(prefix):
                raise ClientError({"Error": {"Code": code}}, "ListObjectsV2")

        monkeypatch.setattr(type(storage.store()), "objects", refuse)
        with pytest.raises(storage.Away, match=said):
            storage.find("a")

    @pytest.mark.parametrize(
        ("code", "status", "kind"),
        [
            ("AccessDenied", 403, storage.Refused),
            ("InvalidAccessKeyId", 403, storage.Refused),
            ("XMinioAdminBucketQuotaExceeded", 400, storage.Refused),
            ("SlowDown", 503, storage.Away),
        ],
    )
    def test_what_does_not_pass_by_itself_is_told_apart(self, code, status, kind):
        from botocore.exceptions import ClientError

        answer = {
            "Error": {"Code": code},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }
        with pytest.raises(storage.Away) as caught, storage.store()._telling("a"):
            raise ClientError(answer, "PutObject")
        assert type(caught.value) is kind

    def test_who_looks_at_a_silent_server_waits_for_seconds(self, bucket, monkeypatch):
        monkeypatch.setattr("evalapp.storage.bucket.CHECK_SECONDS", 1)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            bucket.use(f"127.0.0.1:{silent.getsockname()[1]}")
            with pytest.raises(storage.Away, match="takes too long to answer"):
                storage.check()
            silent.setblocking(False)
            silent.accept()
            with pytest.raises(BlockingIOError):  # asked once, and not three times
                silent.accept()

    def test_the_operator_reads_it_and_pages_say_come_back(self, bucket):
        with bucket.away():
            try:
                storage.check()
            except storage.Away as error:
                fault = faults.of(error)
        assert fault.part == "storage" and "Start it" in fault.told


def test_what_killed_processes_left_is_deleted_after_a_day(bucket):
    storage.work_in("checkpoints/.unfinished/1")
    half = bucket.settings.CACHE_DIR / "half" / "x"
    half.mkdir(parents=True)
    now = datetime.now(UTC)
    storage.tidy(now=now + timedelta(hours=23))
    assert half.exists()
    storage.tidy(now=now + timedelta(hours=25))
    assert not half.exists()
    assert not list((bucket.settings.CACHE_DIR / "work").iterdir())


def test_a_kept_folder_tells_its_hashes(tmp_path):
    storage.keep("some/model", a_folder(tmp_path, a=b"A"))
    digest = "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"
    listed = storage.store().text("some/model/.contents.json")
    assert json.loads(listed) == {"a": digest}
