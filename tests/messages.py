"""What would be told to workers goes to the test instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evalapp.queue import waking


def catch(
    monkeypatch: pytest.MonkeyPatch, task: str, then: Callable[[int], object]
) -> None:
    """Hand the ids of this task's messages to `then`; others go where they went."""
    others = waking.send

    def sent(name: str, pk: int) -> None:
        if name == f"scoring.tasks.{task}":
            then(pk)
        else:
            others(name, pk)

    monkeypatch.setattr(waking, "send", sent)
