"""A gunicorn worker that takes requests in whole before a thread works on them.

With gunicorn's own threads, as many clients as there are threads stop the site: each
sends half a request and waits. waitress reads and writes all connections in one loop,
and its threads see complete requests alone. gunicorn still starts the processes, and
kills and replaces one that hangs.
"""

from __future__ import annotations

import logging
import os
import time

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.server import create_server

LOOP_SECONDS = 0.5
# Of one process. Who opens that many stops it after all: a proxy in front can do more.
CONNECTIONS = 256
IDLE_SECONDS = 30  # then a connection that says nothing is closed
# A long export waits on disk for a slow reader, instead of a thread.
WAITING_BYTES = 2**30


class Buffering(Worker):
    """`gunicorn --worker-class evalapp.buffering.Buffering --threads 8`"""

    def run(self) -> None:
        # It warns of each request that waits for a thread, as in any busy minute.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self.map: dict[int, object] = {}
        server = create_server(
            self.wsgi,
            map=self.map,
            sockets=[socket.sock for socket in self.sockets],
            threads=self.cfg.threads,
            connection_limit=CONNECTIONS,
            channel_timeout=IDLE_SECONDS,
            cleanup_interval=5,
            # Twice: a file that is too large reaches the form, which says so.
            max_request_body_size=2 * settings.UPLOAD_MAX_BYTES,
            outbuf_high_watermark=WAITING_BYTES,
            # Whom to believe is the app's to decide, by BEHIND_PROXY.
            clear_untrusted_proxy_headers=False,
            asyncore_use_poll=True,
            log_socket_errors=False,
            ident="",
        )
        while self.alive and self.ppid == os.getppid():
            self.turn()
        self.finish(server)

    def turn(self) -> None:
        self.notify()  # gunicorn kills a process that says nothing for half a minute
        wasyncore.loop(timeout=LOOP_SECONDS, use_poll=True, map=self.map, count=1)

    def finish(self, server: object) -> None:
        """Take nothing new, and send the answers that are under way."""
        channels = [one for one in self.map.values() if hasattr(one, "requests")]
        for one in self.map.values():
            one.accepting = False  # type: ignore[attr-defined]
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(map(_is_busy, channels)):
            self.turn()


def _is_busy(channel: object) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)  # type: ignore[attr-defined]
