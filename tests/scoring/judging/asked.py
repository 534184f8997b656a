"""Judges behind addresses of this machine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Study
from scoring.judging import trials
from scoring.judging.ledger import Limit
from scoring.models import JudgeTrial
from tests.scoring.endpoints.servers import Answering, Reply, Server, completion, error
from tests.scoring.working import NOON

SHOWN = re.compile(r"Text A:\n(.*)\n\nText B:\n(.*)\n\nQuestion", re.DOTALL)


def judges_file(
    monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, **fields: Any
) -> Path:
    """Let the operator have set up the endpoint lab, with the model tiny."""
    path = folder / "judges.toml"
    given = {"url": url, "models": ["tiny"], **fields}
    lines = [f"{name} = {json.dumps(value)}" for name, value in given.items()]
    path.write_text("\n".join(["[judges.lab]", *lines]))
    monkeypatch.setenv("JUDGES_FILE", str(path))
    return path


def longest(body: dict[str, Any], n: int) -> Reply:
    """A judge that prefers the longer of two texts."""
    found = SHOWN.search(body["messages"][0]["content"])
    if found is None:  # the test question
        return completion("1")
    one, other = map(len, found.groups())
    return completion("tie" if one == other else "A" if one > other else "B")


@contextmanager
def served(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    reply: Answering | str | int,
    **fields: Any,
) -> Iterator[Server]:
    """A server that the operator has set up; it says `reply`, or has that status."""

    def answer(body: dict[str, Any], n: int) -> Reply:
        if isinstance(reply, int):
            return error(reply)
        return completion(reply) if isinstance(reply, str) else reply(body, n)

    with Server(answer).running() as server:
        judges_file(monkeypatch, folder, server.url, **fields)
        yield server


def started(
    study: Study,
    *,
    n: int = 3,
    voted: bool = False,
    limit: Limit | None = None,
    **options: Any,
) -> JudgeTrial:
    """A comparison of pairs of the study by its first question."""
    return trials.start(
        study=study,
        kind="pairs",
        options={"model": "endpoint:lab/tiny", "mode": "answer", **options},
        setup={"aspect": study.aspects.first().key, "n": n, "voted": voted},
        limit=limit or Limit(1000),
        user=study.owner,
    )


def work(trial: JudgeTrial, *, owner: str = "here/1/a", now=NOON) -> JudgeTrial:
    trials.TRIALS.perform(pk=trial.pk, owner=owner, clock=lambda: now)
    trial.refresh_from_db()
    return trial
