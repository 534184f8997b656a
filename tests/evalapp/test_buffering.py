"""The server of `manage.py up`, with real sockets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.scoring.processes import PATIENCE, environment, free_port, manage

TIMEOUT = 20  # of an answer that would otherwise never come


@pytest.fixture
def site(transactional_db, tmp_path) -> Iterator[int]:
    """The port of a site that runs."""
    port = free_port()
    words = ("up", "--no-worker", "--processes", "1", "--bind", f"127.0.0.1:{port}")
    with manage(environment(tmp_path), *words) as command:
        assert "EvalApp is running" in command.stdout.readline()
        yield port
        command.terminate()
        output, _ = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0, output


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)


def get(port: int) -> str:
    url = f"http://127.0.0.1:{port}/login/"
    return urllib.request.urlopen(url, timeout=TIMEOUT).read().decode()


HALF = (
    b"",
    b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nuser",
)


@pytest.mark.slow
def test_slow_clients_do_not_stop_the_site(site):
    """Of each kind more than the site has threads, and one that does go on."""
    with ExitStack() as open_ones:
        slow = [open_ones.enter_context(connect(site)) for _ in range(60)]
        for number, one in enumerate(slow):
            one.sendall(HALF[number % len(HALF)])
        assert "Log in" in get(site)
        slow[1].sendall(b"\r\n")
        assert slow[1].makefile("rb").readline().startswith(b"HTTP/1.1 200")


def test_the_server_is_imported_before_there_are_apps():
    """gunicorn looks for its class of workers first: importing a model would end it."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    code = "import evalapp.buffering"
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
