"""Answers on a connection that is kept, byte by byte: Django's client strips bodies."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPResponse, HTTPSConnection
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from waitress import wasyncore

from evalapp import buffering, request_bodies
from tests.scoring.processes import free_port

TEXT = b"<p>a page of somebody</p>"
STATUSES = ("200 OK", "404 Not Found", "500 Internal Server Error", "302 Found")
BODILESS = ("204 No Content", "304 Not Modified")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
closed: list[str] = []


class Body:
    """Of which somebody has to know that nobody reads it."""

    def __iter__(self) -> Iterator[bytes]:
        return iter([TEXT, TEXT])

    def close(self) -> None:
        closed.append("closed")


def application(
    environ: dict[str, Any], start_response: Callable[..., Any]
) -> Iterable[bytes]:
    """Answers as the query says: with what status, and how its body is made."""
    kind, status, *word = environ["QUERY_STRING"].replace("+", " ").split("&")
    text = TEXT + "".join(word).encode()
    headers = [] if kind == "stream" else [("Content-Length", str(len(text)))]
    start_response(status, headers)
    if kind == "stream":
        return Body()
    if kind == "file":
        body: Iterable[bytes] = environ["wsgi.file_wrapper"](BytesIO(text))
        return body
    return [text]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of a server as `Buffering` makes it."""
    listening = socket.create_server(("127.0.0.1", 0))
    sockets: dict[int, Any] = {}
    server = buffering.serving(application, [listening], sockets, threads=2)
    stop = threading.Event()

    def turn() -> None:
        while not stop.is_set():
            buffering.turn(sockets)

    thread = threading.Thread(target=turn, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    stop.set()
    thread.join()
    server.task_dispatcher.shutdown()
    wasyncore.close_all(sockets)


def request(method: str, query: str) -> bytes:
    start = f"{method} /?{query.replace(' ', '+')} HTTP/1.1\r\nHost: a\r\n"
    return (start + "Content-Length: 0\r\n\r\n").encode()


def bytes_of(port: int, *requests: bytes) -> bytes:
    """All that comes until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"".join(requests))
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))


def headers_and_rest(answer: bytes) -> tuple[bytes, bytes]:
    head, _, rest = answer.partition(b"\r\n\r\n")
    return head, rest


LAST = request("GET", "plain&200 OK")


@pytest.mark.parametrize("method", METHODS)
def test_the_next_answer_begins_where_the_last_one_ends(port, method):
    kinds = ("plain", "stream", "file")
    for status, kind in product((*STATUSES, *BODILESS), kinds):
        check_next(port, method, status, kind)


def check_next(port, method: str, status: str, kind: str) -> None:
    first = bytes_of(port, request(method, f"{kind}&{status}"))
    head, body = headers_and_rest(first)
    assert head.startswith(b"HTTP/1.1 " + status.encode())
    if method == "HEAD" or status in BODILESS:
        assert body == b""
    else:
        assert TEXT in body
    both = bytes_of(port, request(method, f"{kind}&{status}"), LAST)
    if b"Connection: close" not in head:
        _, rest = headers_and_rest(both)
        assert rest[len(body) :].startswith(b"HTTP/1.1 200 OK")
        assert rest.endswith(TEXT)


def test_the_length_of_what_a_get_would_give_stands_in_an_answer_to_head(port):
    head, _ = headers_and_rest(bytes_of(port, request("HEAD", "plain&200 OK")))
    assert f"Content-Length: {len(TEXT)}".encode() in head


def test_who_made_the_body_is_told_that_nobody_reads_it(port):
    closed.clear()
    bytes_of(port, request("HEAD", "stream&200 OK"))
    assert closed == ["closed"]


@pytest.mark.parametrize(
    "line", ["Content-Length: 99999999999", "Transfer-Encoding: gzip"]
)
def test_a_refused_head_has_no_body_either(port, line):
    refused = f"HEAD / HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n"
    answer = bytes_of(port, refused.encode())
    head, body = headers_and_rest(answer)
    assert head[9:10] in (b"4", b"5") and body == b""


def test_pythons_client_reads_one_answer_after_the_other(port):
    """A program that nobody here wrote."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        for method in ("HEAD", "GET", "HEAD", "HEAD", "GET"):
            client.sendall(request(method, "plain&200 OK"))
            answer = HTTPResponse(client, method=method)
            answer.begin()
            assert answer.read() == (TEXT if method == "GET" else b"")


@pytest.mark.parametrize(
    "how", ["Content-Length: 6000000", "Transfer-Encoding: chunked"]
)
def test_a_large_body_is_refused_where_no_files_are_taken(port, how):
    start = f"POST /login/ HTTP/1.1\r\nHost: a\r\n{how}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(start)
        with suppress(ConnectionError):
            for _ in range(6):
                client.sendall(b"f4240\r\n" + b"a" * 1_000_000 + b"\r\n")
        with suppress(ConnectionError):
            assert client.recv(100).startswith(b"HTTP/1.1 413")


def test_who_sends_half_a_body_and_stops_is_dropped(port, monkeypatch):
    monkeypatch.setattr(request_bodies, "WINDOW_SECONDS", 1)
    start = b"POST /login/ HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n"
    with ExitStack() as open_ones:
        slow = [
            open_ones.enter_context(socket.create_connection(("127.0.0.1", port), 20))
            for _ in range(6)
        ]
        for one in slow:
            one.sendall(start + b"a" * 2_000_000)
        for one in slow:
            with suppress(ConnectionError):
                assert one.recv(1) == b""
    assert TEXT in bytes_of(port, LAST)


# Behind the proxies, as `deploy/` has them --------------------------------------------


def nginx(folder: Path, site: int, port: int) -> list[str]:
    """With a certificate of its own, and nothing outside the folder."""
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    files = ["-keyout", f"{folder}/key", "-out", f"{folder}/certificate"]
    made = ["openssl", *words.split(), "-subj", "/CN=127.0.0.1", *files]
    subprocess.run(made, check=True, capture_output=True)
    lets = "/etc/letsencrypt/live/ratings.example.org"
    shipped = changed(
        "nginx.conf",
        {
            "127.0.0.1:8000": f"127.0.0.1:{site}",
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            f"{lets}/fullchain.pem": f"{folder}/certificate",
            f"{lets}/privkey.pem": f"{folder}/key",
            "/var/log/nginx/evalapp.log": f"{folder}/requests",
        },
    )
    (folder / "site").write_text(shipped)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/errors warn;\n"
        f"{'user root;' if os.getuid() == 0 else ''}\nworker_processes 1;\n"
        f"events {{ worker_connections 512; }}\n"
        f"http {{\n{paths}include {folder}/site;\n}}\n"
    )
    return ["nginx", "-p", str(folder), "-c", f"{folder}/nginx.conf"]


def caddy(folder: Path, site: int, port: int) -> list[str]:
    changes = {
        "{$HOST}": f"https://127.0.0.1:{port}",
        "reverse_proxy site:8000": f"tls internal\n\treverse_proxy 127.0.0.1:{site}",
    }
    own = f"{{\n\tadmin off\n\tskip_install_trust\n\thttp_port {free_port()}\n}}\n"
    (folder / "Caddyfile").write_text(own + changed("Caddyfile", changes))
    return ["caddy", "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]


def changed(name: str, changes: dict[str, str]) -> str:
    shipped = (Path(__file__).parents[2] / "deploy" / name).read_text()
    for old, new in changes.items():
        assert old in shipped, f"deploy/{name} has no {old!r} any more"
        shipped = shipped.replace(old, new)
    return shipped


def client_of(port: int) -> HTTPSConnection:
    trusting = ssl._create_unverified_context()
    return HTTPSConnection("127.0.0.1", port, timeout=20, context=trusting)


def asked(client: HTTPSConnection, method: str, word: str) -> bool:
    """Whether the answer is the one to this question."""
    client.request(method, f"/?plain&200+OK&{word}")
    answer = client.getresponse()
    wanted = b"" if method == "HEAD" else TEXT + word.encode()
    return answer.status == 200 and answer.read() == wanted


@pytest.mark.slow
@pytest.mark.parametrize("proxy", [nginx, caddy])
def test_behind_a_proxy_nobody_gets_the_answer_to_another(proxy, port, tmp_path):
    """Of 5,000 requests beside as many HEADs, which broke 11 % of them in Caddy."""
    if shutil.which(proxy.__name__) is None:
        pytest.skip(f"{proxy.__name__} is not installed")
    front = free_port()
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with running(proxy(tmp_path, port, front), environment, front):

        def loop(method: str, word: str) -> int:
            with closing(client_of(front)) as client:
                return sum(not asked(client, method, word) for _ in range(1250))

        with ThreadPoolExecutor(8) as pool:
            methods = ("HEAD", "GET") * 4
            words = [f"{method}-{number}" for number, method in enumerate(methods)]
            assert list(pool.map(loop, methods, words)) == [0] * 8


@contextmanager
def running(
    command: list[str], environment: dict[str, str], port: int
) -> Iterator[None]:
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):  # until it has made its certificate, too
            with suppress(OSError), closing(client_of(port)) as client:
                if asked(client, "GET", "first"):
                    break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(20)
