"""A gunicorn worker that takes requests in whole before a thread works on them.

With gunicorn's own threads, as many clients as there are threads stop the site: each
sends half a request and waits. waitress reads and writes all connections in one loop,
and its threads see complete requests alone. gunicorn still starts the processes, and
kills and replaces one that hangs.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask, WSGITask

from evalapp import request_bodies

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOOP_SECONDS = 0.5
# Of one process. Who opens that many stops it after all: a proxy in front can do more.
CONNECTIONS = 256
IDLE_SECONDS = 30  # then a connection that says nothing is closed
# A long export waits on disk for a slow reader, instead of a thread.
WAITING_BYTES = 2**30
BODILESS = ("1", "204", "304")  # how their status begins


class Buffering(Worker):
    """`gunicorn --worker-class evalapp.buffering.Buffering --threads 8`"""

    def run(self) -> None:
        # It warns of each request that waits for a thread, as in any busy minute.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self.map: dict[int, Any] = {}
        sockets = [one.sock for one in self.sockets]
        server = serving(self.wsgi, sockets, self.map, threads=self.cfg.threads)
        while self.alive and self.ppid == os.getppid():
            self.turn()
        self.finish(server)

    def turn(self) -> None:
        self.notify()  # gunicorn kills a process that says nothing for half a minute
        turn(self.map)

    def finish(self, server: object) -> None:
        """Take nothing new, and send the answers that are under way."""
        channels = [one for one in self.map.values() if hasattr(one, "requests")]
        for one in self.map.values():
            one.accepting = False
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(map(_is_busy, channels)):
            self.turn()


def _is_busy(channel: Any) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)


def serving(
    application: WSGIApplication,
    sockets: list[socket.socket],
    sockets_by_number: dict[int, Any],
    *,
    threads: int,
) -> Any:
    """A waitress server, whose loop the caller turns."""
    server = create_server(
        without_bodies(application),
        map=sockets_by_number,
        sockets=sockets,
        threads=threads,
        connection_limit=CONNECTIONS,
        channel_timeout=IDLE_SECONDS,
        cleanup_interval=5,
        # Where files are taken. Less elsewhere: see `request_bodies`.
        max_request_body_size=2 * settings.UPLOAD_MAX_BYTES,
        outbuf_high_watermark=WAITING_BYTES,
        # Whom to believe is the app's to decide, by BEHIND_PROXY.
        clear_untrusted_proxy_headers=False,
        asyncore_use_poll=True,
        log_socket_errors=False,
        ident="",
    )
    for one in sockets_by_number.values():
        one.channel_class = _Channel
    return server


def turn(sockets: dict[int, Any]) -> None:
    """Read and write what is there, and drop who keeps a request unfinished."""
    wasyncore.loop(timeout=LOOP_SECONDS, use_poll=True, map=sockets, count=1)
    for channel in request_bodies.to_drop(sockets.values(), time.monotonic()):
        channel.handle_close()


def without_bodies(application: WSGIApplication) -> WSGIApplication:
    """The application without bodies of answers that must not have one.

    waitress sends what it is given. On a connection that is kept, the body of an answer
    to HEAD stands in front of the next answer: a proxy then fails, or gives one
    person's page to another (RFC 9110, 9.3.2; 204, 304 and 1xx: 6.4.1).
    """

    def answer(
        environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        status = ""

        def start(line: str, *rest: Any) -> Any:
            nonlocal status
            status = line
            return start_response(line, *rest)

        body = application(environ, start)
        if environ["REQUEST_METHOD"] != "HEAD" and not status.startswith(BODILESS):
            return body
        if hasattr(body, "close"):
            body.close()
        return []

    return answer


class _Task(WSGITask):
    def finish(self) -> None:
        """Without the chunk that ends an answer of unknown length, after HEAD."""
        if not _is_head(self.request):
            super().finish()
        elif not self.wrote_header:
            self.write(b"")


class _ErrorTask(ErrorTask):
    def write(self, data: bytes) -> None:
        super().write(b"" if _is_head(self.request) else data)


def _is_head(request: object) -> bool:
    return getattr(request, "command", "") == "HEAD"  # not there if it cannot be read


class _Channel(HTTPChannel):
    parser_class = request_bodies.Parser
    task_class = _Task
    error_task_class = _ErrorTask
