"""Whatever the child does, the parent gets pieces or one sentence, and goes on."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from evalapp.cage import frames, process
from evalapp.cage.process import Limits, Refused, pieces

START = f"""\
import json, os, signal, sys, time
sys.path.insert(0, {str(process.CHILD.parent)!r})
import frames
def send(value): os.write(1, frames.packed(value))
"""
LIMITS = Limits(bytes=1 << 20, row_bytes=1 << 16, rows=10, seconds=30)


@pytest.fixture
def child(tmp_path, monkeypatch):
    """Make the child a program of these lines."""

    def made(*lines: str) -> None:
        script = tmp_path / "child.py"
        script.write_text("\n".join([START, *lines]))
        monkeypatch.setattr(process, "CHILD", script)

    return made


def read(limits: Limits = LIMITS, content: bytes = b"") -> list[object]:
    return list(pieces(io.BytesIO(content), reader="none", limits=limits))


def refused(limits: Limits = LIMITS) -> str:
    with pytest.raises(Refused) as error:
        read(limits)
    return str(error.value)


def test_pieces_come_in_order_until_the_word_for_the_end(child):
    child(
        "send({'n': 1})", "os.write(1, frames.packed_bytes(b'x'))", "send({'end': 1})"
    )
    assert read() == [{"n": 1}, b"x"]


def test_the_child_reads_the_file_and_the_parent_may_read_it_again(child):
    child("send({'file': sys.stdin.read()})", "send({'end': 1})")
    file = io.BytesIO(b"A lake.")
    for _ in range(2):
        found = list(pieces(file, reader="none", limits=LIMITS))
        assert found == [{"file": "A lake."}]


def test_a_text_that_cannot_be_stored_comes_back_as_it_is():
    text = {"text": "half of a pair \ud800, \0 and \N{SNOWMAN}"}
    frame = frames.packed(text)
    assert frames.unpacked(frame[frames.HEAD.size :]) == text


def test_what_the_child_refuses_is_said(child):
    child("send({'refused': 'Too wide.'})")
    assert refused() == "Too wide."


@pytest.mark.parametrize(
    "line",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.abort()",
        "raise SystemExit(3)",
        "print('words that are no frame, but long enough')",
        "os.write(1, frames.HEAD.pack(b'J', 2**31))",
        "os.write(1, frames.HEAD.pack(b'J', 4) + b'[1}]')",
        "send([1])",
        "send('9' * 10**5); os.write(1, b'')",
        "b = b'[' * 60000; os.write(1, frames.HEAD.pack(b'J', len(b)) + b)",
        "while True: os.write(1, frames.packed_bytes(bytes(1 << 16)))",
    ],
)
def test_a_child_that_dies_or_raves_is_one_sentence(child, line):
    child(line)
    assert refused() == process.STOPPED


def test_a_child_that_hangs_is_ended(child, monkeypatch):
    started = []

    def start(*args, **options):
        started.append(subprocess.Popen(*args, **options))
        return started[0]

    monkeypatch.setattr(process, "subprocess", SimpleNamespace(Popen=start, PIPE=-1))
    child("time.sleep(1000)")
    limits = Limits(bytes=1, row_bytes=1, rows=1, seconds=1)
    assert "longer than 1 seconds" in refused(limits)
    assert started[0].returncode == -signal.SIGKILL


def test_only_the_wait_for_the_child_counts(child, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=lambda: now[0]))
    child("send({'n': 1})", "send({'n': 2})", "send({'end': 1})")
    found = pieces(io.BytesIO(), reader="none", limits=LIMITS)
    next(found)
    now[0] = 1000.0  # as of who writes each row down
    assert next(found) == {"n": 2}


def test_a_child_that_swells_is_ended(child):
    child("b = bytearray(os.urandom(1) * (300 << 20))", "time.sleep(1000)")
    limits = Limits(bytes=1, row_bytes=1, rows=1, memory=100 << 20)
    assert "more than 100 MB of memory" in refused(limits)


def test_a_child_that_computes_too_long_ends_itself(child):
    child("os.kill(os.getpid(), signal.SIGXCPU)")
    assert "longer than 30 seconds" in refused()


def test_who_stops_listening_ends_the_child(child):
    child("send({'pid': os.getpid()})", "time.sleep(1000)")
    found = pieces(io.BytesIO(), reader="none", limits=LIMITS)
    pid = next(found)["pid"]
    found.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_child_knows_no_secret_and_loads_no_django(child, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "of the site")
    child("send(dict(os.environ))", "send({'end': 1})")
    (known,) = read()
    assert "SECRET_KEY" not in known and "DATABASE_URL" not in known


def test_the_real_child_limits_itself(child):
    child(
        "import child, resource",
        "child._limit(7, 1 << 28)",
        "names = ('CPU', 'AS', 'CORE')",
        "r = [resource.getrlimit(getattr(resource, f'RLIMIT_{n}')) for n in names]",
        "send({'limits': [soft for soft, _ in r]})",
        "send({'end': 1})",
    )
    assert read() == [{"limits": [7, (1 << 28) + (1 << 30), 0]}]


def test_a_reader_that_is_not_there_is_one_sentence():
    assert refused() == process.STOPPED


@pytest.mark.skipif(sys.platform != "linux", reason="no limit of memory elsewhere")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bytearray(8 << 30)", "of memory"),
        ("while True: pass", "longer than 2 seconds"),
        ("out.row(1, ['a' * 2000])", "Row 1 is longer than 1,000 bytes"),
        ("raise Refused('Too wide.')", "Too wide."),
        ("raise KeyError", process.STOPPED),
    ],
)
def test_the_real_child_says_what_its_reader_came_to(child, line, said):
    child(
        "import child, types",
        "child._alone()",
        "from evalapp.cage.readers import Refused",
        "def read(file, out, size):",
        f"    {line}",
        "sys.modules['evalapp.cage.readers.none'] = types.SimpleNamespace(read=read)",
        "child.main(json.loads(sys.argv[1]))",
    )
    assert said in refused(Limits(bytes=1 << 20, row_bytes=1000, rows=1, seconds=2))
