"""What would be told to workers goes to the test instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evalapp.work import dispatch


def catch(
    monkeypatch: pytest.MonkeyPatch,
    task: str,
    then: Callable[[int], object],
    *,
    queue: str = "",
) -> None:
    """Hand the ids of this task's messages to `then`; others go where they went.

    With a queue: only of messages to that queue.
    """
    others = dispatch.send

    def sent(name: str, pk: int, to: str) -> None:
        if name == f"scoring.tasks.{task}" and queue in ("", to):
            then(pk)
        else:
            others(name, pk, to)

    monkeypatch.setattr(dispatch, "send", sent)
