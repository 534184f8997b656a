"""A mail server on this machine, as slow as a test wants it. It notes what it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer


class Postbox:
    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds  # from the end of a mail until it is acknowledged
        self.taken: list[str] = []  # who was written to, once for each mail

    @contextmanager
    def running(self) -> Iterator[Postbox]:
        box = self

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                # Else the client was killed.
                with suppress(BrokenPipeError, ConnectionResetError):
                    box.talk(self)

        with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
            server.daemon_threads = True
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            self.url = f"smtp://127.0.0.1:{server.server_address[1]}"
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()

    def talk(self, line: StreamRequestHandler) -> None:
        """As much of SMTP as a client needs."""
        to = ""
        line.wfile.write(b"220 ready\r\n")
        for said in line.rfile:
            verb = said[:4].upper()
            if verb == b"QUIT":
                return
            if verb == b"RCPT":
                to = said.decode().partition("<")[2].partition(">")[0]
            if verb == b"DATA":
                line.wfile.write(b"354 go on\r\n")
                while line.rfile.readline() not in (b".\r\n", b""):
                    pass
                self.taken.append(to)
                time.sleep(self.seconds)
            line.wfile.write(b"250 ok\r\n")
