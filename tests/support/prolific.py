"""A server that behaves like Prolific, as far as it is asked: states, money, errors.

It keeps books: what a test wants to know is who was paid how much, and how often.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "t0ken-of-the-lab"  # noqa: S105 - of no account
MOVES = {
    ("PUBLISH", "UNPUBLISHED"): "ACTIVE",
    ("PAUSE", "ACTIVE"): "PAUSED",
    ("START", "PAUSED"): "ACTIVE",
    ("STOP", "ACTIVE"): "AWAITING REVIEW",
    ("STOP", "PAUSED"): "AWAITING REVIEW",
}


class Prolific:
    def __init__(self) -> None:
        self.studies: dict[str, dict[str, Any]] = {}
        self.people: list[dict[str, Any]] = []  # submissions
        self.batches: dict[str, dict[str, int]] = {}  # bonuses by submission
        self.calls: list[str] = []
        self.tokens: set[str] = set()
        # path -> what to do in place of an answer, once for each entry.
        self.instead: dict[str, list[Callable[[Handler], bool]]] = {}
        self.lock = threading.Lock()

    def times(self, end: str) -> int:
        return sum(call.endswith(end) for call in self.calls)

    def joins(self, participant: str, status: str = "AWAITING REVIEW") -> str:
        """Someone has taken part; the number of their submission."""
        number = f"sub{len(self.people) + 1}"
        self.people.append(
            {
                "id": number,
                "participant_id": participant,
                "status": status,
                "bonus_payments": [],
            }
        )
        return number

    def bonuses(self) -> dict[str, list[int]]:
        return {one["participant_id"]: one["bonus_payments"] for one in self.people}

    def next_time(self, end: str, *what: Callable[[Handler], bool]) -> None:
        self.instead.setdefault(end, []).extend(what)

    # What it is asked -----------------------------------------------------------------

    def answer(
        self, method: str, path: str, query: dict[str, list[str]], body: Any
    ) -> tuple[int, Any]:
        parts = path.strip("/").split("/")[2:]  # behind api/v1
        match (method, *parts):
            case ("POST", "studies"):
                return self._create(body)
            case ("GET", "studies"):
                return 200, {"results": list(self.studies.values())}
            case (_, "submissions", "bulk-approve"):
                return self._approve(body)
            case (_, "submissions", "bonus-payments"):
                return self._set_up(body)
            case (_, "submissions", number, "transition"):
                return self._reject(number, body)
            case (_, "bulk-bonus-payments", batch, "pay"):
                return self._pay(batch)
            case (_, "studies", study_id, *rest) if study_id in self.studies:
                return self._of_study(self.studies[study_id], rest, query, body)
        return 404, {"error": {"title": "Not found", "detail": "No such thing."}}

    def _create(self, body: Any) -> tuple[int, Any]:
        if body["reward"] < 10:
            told = {"reward": ["Pay at least 10 <b>pence</b>."]}
            return 400, {"error": {"title": "Invalid", "detail": told}}
        number = f"study{len(self.studies) + 1}"
        cost = round(body["reward"] * body["total_available_places"] * 4 / 3)
        more = {"status": "UNPUBLISHED", "total_cost": cost, "currency_code": "GBP"}
        self.studies[number] = {**body, "id": number, **more}
        return 201, self.studies[number]

    def _of_study(
        self, study: Any, rest: list[str], query: dict[str, list[str]], body: Any
    ) -> tuple[int, Any]:
        if rest == ["transition"]:
            after = MOVES.get((body["action"], study["status"]))
            if after is None:
                return 400, {"error": {"detail": f"It is {study['status']}."}}
            study["status"] = after
        elif rest == ["submissions"]:
            first, n = int(query["offset"][0]), int(query["limit"][0])
            return 200, {"results": self.people[first : first + n]}
        elif rest == ["cost"]:
            return 200, {"rewards": {"total": 400}, "bonuses": {"total": 0}}
        return 200, study

    def _approve(self, body: Any) -> tuple[int, Any]:
        for one in self.people:
            if one["id"] in body["submission_ids"]:
                one["status"] = "APPROVED"
        return 200, {"message": "in progress"}

    def _reject(self, number: str, body: Any) -> tuple[int, Any]:
        for one in self.people:
            if one["id"] == number:
                one.update(status="REJECTED", told=body["message"])
        return 200, {"id": number}

    def _set_up(self, body: Any) -> tuple[int, Any]:
        number = f"batch{len(self.batches) + 1}"
        lines = dict(line.split(",") for line in body["csv_bonuses"].splitlines())
        asked = {one: round(float(amount) * 100) for one, amount in lines.items()}
        if not asked.keys() <= {one["id"] for one in self.people}:
            return 400, {"error": {"detail": "These ids did not take part."}}
        self.batches[number] = asked
        amount = sum(asked.values())
        fees = amount // 3
        total = {"amount": amount, "fees": fees, "total_amount": amount + fees}
        return 201, {"id": number, "study": body["study_id"], **total}

    def _pay(self, batch: str) -> tuple[int, Any]:
        """Each time that it is asked: it does not know what it has paid."""
        for one in self.people:
            if amount := self.batches[batch].get(one["id"]):
                one["bonus_payments"].append(amount)
        return 202, {"message": "The bonuses are being paid."}

    # Over the network -----------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[Prolific]:
        class Bound(Handler):
            prolific = self

        server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class Handler(BaseHTTPRequestHandler):
    prolific: Prolific

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        parts, server = urlsplit(self.path), self.prolific
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        with server.lock:
            server.calls.append(f"{self.command} {parts.path}")
            server.tokens.add(self.headers.get("authorization", ""))
            waiting = [
                what
                for end, what in server.instead.items()
                if parts.path.endswith(end) and what
            ]
            instead = waiting[0].pop(0) if waiting else None
        try:
            if instead and instead(self):
                return
            given = json.loads(body or b"{}")
            with server.lock:
                found = server.answer(
                    self.command, parts.path, parse_qs(parts.query), given
                )
            if instead not in (None, usual):
                return self.close()
            self.say(*found)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has lost patience, as it should

    def say(self, status: int, found: Any, **headers: str) -> None:
        content = found if isinstance(found, bytes) else json.dumps(found).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def close(self) -> None:
        """Hang up without an answer."""
        self.close_connection = True
        self.connection.close()

    def log_message(self, *args: object) -> None:
        """Tests say nothing."""


def says(status: int, found: Any, **headers: str) -> Callable[[Handler], bool]:
    """In place of doing anything."""

    def instead(handler: Handler) -> bool:
        handler.say(status, found, **headers)
        return True

    return instead


def usual(handler: Handler) -> bool:
    """What it does anyway, before something else happens."""
    return False


def lost(handler: Handler) -> bool:
    """It is done, and the answer never arrives."""
    return False


def never_arrived(handler: Handler) -> bool:
    """The line breaks before anything is done."""
    handler.close()
    return True


def drips(handler: Handler) -> bool:
    """A byte at a time."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.02)
    handler.close()
    return True
