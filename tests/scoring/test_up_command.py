"""`up` says that the site is running when a page would be answered."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.management.base import CommandError

from scoring.management.commands import up


@contextmanager
def answering(status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def open_port(monkeypatch) -> Iterator[str]:
    """As of a process that has not loaded the site yet: nobody answers."""
    monkeypatch.setattr(up, "ASK_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(("status", "serves"), [(200, True), (500, False)])
def test_it_asks_whether_the_site_is_loaded(status, serves):
    with answering(status) as bind:
        assert up._serves(bind) == serves


def test_an_open_port_is_no_site(open_port):
    assert up._answers(open_port)
    assert not up._serves(open_port)


def test_a_site_that_ends_while_it_loads_is_never_said_to_run(open_port):
    ends = [sys.executable, "-c", "raise SystemExit(3)"]
    said = pytest.raises(CommandError, match="ended with code 3")
    with subprocess.Popen(ends) as site, said:
        up._wait_for(site, open_port)


def test_an_address_without_a_port_is_refused():
    with pytest.raises(CommandError, match="expected HOST:PORT"):
        up._serves("localhost")
