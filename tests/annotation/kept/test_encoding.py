from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple
from uuid import UUID

import numpy as np
import pytest

from annotation.kept import encoding


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Pair(NamedTuple):
    name: str
    value: float | None
    kind: Literal["a", "b"] = "a"


@dataclass(frozen=True, slots=True)
class Found:
    level: Level
    pairs: list[Pair]
    by_number: dict[int, Pair] = field(default_factory=dict)
    worker: UUID | None = None
    ends: tuple[int, int] = (0, 1)
    many: tuple[str, ...] = ()


def test_what_is_kept_comes_back_as_it_was():
    found = Found(
        level=Level.HIGH,
        pairs=[Pair("x", None), Pair("y", 0.5, "b")],
        by_number={7: Pair("z", 1.0)},
        worker=UUID(int=5),
        ends=(1, 5),
        many=("p", "q", "r"),
    )
    assert encoding.typed(Found, encoding.plain(found)) == found


def test_a_list_without_a_name_comes_back():
    found = [Pair("x", 1.5)]
    assert encoding.typed(list[Pair], encoding.plain(found)) == found


def test_numbers_of_numpy_are_kept_as_numbers():
    assert encoding.plain(np.float64(0.5)) == 0.5
    assert encoding.plain([np.int64(3)]) == [3]


def test_what_cannot_be_kept_is_refused_by_name():
    with pytest.raises(TypeError, match="cannot keep a object"):
        encoding.plain(object())
