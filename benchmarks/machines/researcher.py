"""A researcher who starts work over the API, and whose programs wait out a failure."""

from __future__ import annotations

import http.client
import io
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from machines.raters import LONGEST_WAIT, Patient, People, Trouble, patient
from machines.servers import Machine

CORPUS = "reviews"
GOOD = "all good and great said the old man of the film"
BAD = "never so bad a terrible story she said of the house"
ENDINGS = "ferry harbour island gulls stood white old house sun woman".split()
RUNS: tuple[tuple[str, dict[str, str]], ...] = (
    ("perplexity", {"model": "bundled:causal-small"}),
    ("ctrleval", {"model": "bundled:infill-nano"}),
    ("cdm", {"expert": "bundled:causal-small", "amateur": "bundled:causal-nano"}),
)
TRAINING = {
    "metric": "disscore",
    "name": "verdicts",
    "corpus": CORPUS,
    "options": {"aspect": "attribute", "attribute": "verdict", "epochs": 2},
}
TRIES = 40  # of the demo, which ends whenever the database goes away


def add_corpus(study: Any) -> None:
    from scoring import corpora

    rows = [
        {
            "text": f"{(GOOD, BAD)[i % 2]} {ENDINGS[i % 10]} {ENDINGS[i // 10 % 10]}"
            f" {ENDINGS[i // 100 % 10]}. It was number {i}.",
            "verdict": ("good", "bad")[i % 2],
        }
        for i in range(600)
    ]
    file = io.BytesIO("\n".join(map(json.dumps, rows)).encode())
    corpora.add(study=study, name=CORPUS, file=file, file_name="reviews.jsonl")


class Api(Patient):
    """Of one researcher. What was sent twice must not be done twice: who sends asks."""

    def __init__(self, people: People, token: str) -> None:
        super().__init__(people, "127.2.0.1")
        self.token = token

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.token}", "Connection": "close"}

    def read(self, path: str) -> Any:
        return json.loads(self.get("api", f"/api/v1/{path}").body)

    def file(self, path: str) -> bytes:
        line = self.line()
        try:
            line.request("GET", f"/api/v1/{path}", headers=self.headers())
            return line.getresponse().read()
        finally:
            line.close()

    def start(
        self,
        path: str,
        wanted: Mapping[str, Any],
        there: Callable[[], bool],
        method: str = "POST",
    ) -> None:
        """Send it until it is there: an answer that is lost may have been a yes."""
        headers = {**self.headers(), "Content-Type": "application/json"}
        for tries in range(1000):
            began, line = time.monotonic(), self.line()
            try:
                body = json.dumps(wanted)
                line.request(method, f"/api/v1/{path}", body, headers)
                answer = line.getresponse()
                status, said = answer.status, answer.read().decode()
            except (OSError, http.client.HTTPException):
                status, said = 0, ""
            finally:
                line.close()
            self.crowd.count(f"api start {status}")
            if status in (200, 201, 202):
                return
            if status and status < 500:
                raise RuntimeError(f"{path}: {status} {said[:500]}")
            found = Trouble(began, time.monotonic(), "api start", status)
            self.crowd.troubles.append(found)
            if there():
                return
            time.sleep(min(2.0**tries, LONGEST_WAIT))


@dataclass
class Researcher:
    """Starts three runs, a training, a probe and two data sets, one after the other.

    Twice another policy is applied to the pages that are in.
    """

    people: People
    api: Api
    seconds: float
    errors: list[str] = field(default_factory=list)

    def work(self) -> None:
        steps: tuple[tuple[float, Callable[[], None]], ...] = (
            (0.02, lambda: self._run(0)),
            (0.10, self._training),
            (0.20, lambda: self._run(1)),
            (0.30, self._probe),
            (0.35, self._data_set),
            (0.50, lambda: self._run(2)),
            (0.55, lambda: self._policy("above_any")),
            (0.70, self._data_set),
            (0.80, lambda: self._policy("above_mean")),
        )
        began = time.monotonic()
        for share, step in steps:
            time.sleep(max(0.0, began + share * self.seconds - time.monotonic()))
            try:
                step()
            except Exception as error:
                self.errors.append(repr(error))

    @property
    def study(self) -> str:
        return f"studies/{self.people.study.name}"

    def _run(self, number: int) -> None:
        metric, options = RUNS[number]
        path = f"{self.study}/runs/"

        def there() -> bool:
            return metric in [run["metric"] for run in self.api.read(path)["results"]]

        self.api.start(path, {"metric": metric, "options": options}, there)

    def _training(self) -> None:
        path = f"{self.study}/trainings/"
        self.api.start(path, TRAINING, lambda: bool(self.api.read(path)["results"]))

    def _data_set(self) -> None:
        path = f"{self.study}/dataset/"
        self.api.start(path, {}, lambda: False)  # asked for twice is made once

    def _policy(self, rule: str) -> None:
        path = f"{self.study}/quality/"
        wanted = {"rule": rule, "all_pages": True}
        self.api.start(
            path, wanted, lambda: self.api.read(path)["rule"] == rule, "PATCH"
        )
        print(f"applies {self.api.read(path)['applying']}", flush=True)

    def _probe(self) -> None:
        """There is no address of the API for it."""
        from scoring import corpora
        from scoring.contrib.probing import starting

        def start() -> None:
            found = corpora.find(study=self.people.study, name=CORPUS)
            assert found
            given = {"clusters": [5, 20, 100], "seeds": 5}
            probe = starting.start(
                study=self.people.study,
                corpus=found,
                protocol="attributes",
                options=given,
            )
            print(f"probe {probe.pk} started", flush=True)

        self.people.oracle.submit(patient, start).result()

    def data_set_is_whole(self) -> str:
        """Empty if it is; else what is wrong."""
        for _ in range(5):
            body = self.api.file(f"{self.study}/dataset/download/")
            try:
                with ZipFile(io.BytesIO(body)) as found:
                    names = found.namelist()
                    return found.testzip() or ("" if names else "it is empty")
            except BadZipFile:
                time.sleep(5)
        return f"no zip file: {body[:200]!r}"


class Demo(Machine):
    """`manage.py demo`, on a machine of its own. It says to run it again, and is."""

    name = "demo"

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(folder, env)
        self.tries = 0
        self.done = False
        self.over = threading.Event()

    def command(self) -> list[str]:
        import sys

        return ["nice", "-n", "10", sys.executable, "manage.py", "demo", "--no-serve"]

    def work(self) -> None:
        while not self.done and self.tries < TRIES and not self.over.is_set():
            self.tries += 1
            self.start()
            while self.is_well() and not self.over.is_set():
                time.sleep(0.5)
            self.done = bool(self.child and self.child.poll() == 0)
            self.kill()
            self.over.wait(3)
