"""A result is what its type says, key by key: pages are checked against the type."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator, Sequence
from typing import (
    Any,
    Literal,
    NotRequired,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import pytest

from scoring import analyses
from scoring.analyses import pages
from tests.golden.analyses import CHOSEN, study
from tests.scoring import made
from tests.scoring.shapes import SHAPES


def misfits(value: Any, kind: Any, at: str = "") -> Iterator[str]:
    """Where a value, as JSON has it, is not of a type."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if is_typeddict(origin):
        yield from _misfits_of_keys(value, origin, at)
    elif origin in (Union, types.UnionType):
        found = [list(misfits(value, one, at)) for one in inner]
        yield from min(found, key=len)
    elif origin is Literal:
        yield from () if value in inner else [f"{at}: {value!r} is not in {inner}"]
    elif origin in (list, Sequence) and isinstance(value, list):
        for number, one in enumerate(value):
            yield from misfits(one, inner[0], f"{at}/{number}")
    elif not _is_plain(value, origin):
        yield f"{at}: {value!r} is no {kind}"


def _misfits_of_keys(value: Any, kind: Any, at: str) -> Iterator[str]:
    hints = get_type_hints(kind, include_extras=True)
    absent_too = {key for key, one in hints.items() if get_origin(one) is NotRequired}
    if (
        not isinstance(value, dict)
        or value.keys() - hints
        or hints.keys() - (value.keys() | absent_too)
    ):
        yield f"{at}: {value!r} has not the keys of {kind.__name__}"
        return
    plain = get_type_hints(kind)
    for key, one in value.items():
        yield from misfits(one, plain[key], f"{at}/{key}")


def _is_plain(value: Any, kind: Any) -> bool:
    if isinstance(kind, TypeVar):
        return True
    if kind is type(None):
        return value is None
    if kind in (int, float):
        numbers = (int, float) if kind is float else (int,)
        return isinstance(value, numbers) and not isinstance(value, bool)
    return isinstance(value, kind)


def type_of(name: str) -> Any:
    return importlib.import_module(f"scoring.analyses.{name}.result").Result


@pytest.mark.parametrize("name", analyses.names())
def test_an_analysis_and_its_page_share_one_type(name):
    assert get_type_hints(analyses.get(name).compute)["return"] is type_of(name)
    assert get_type_hints(pages.get(name).sections)["result"] is type_of(name)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("name", analyses.names())
@pytest.mark.parametrize("shape", SHAPES)
def test_every_result_fits_its_type(name, shape):
    studies = [shape(study()), shape(made.data(prompts=2, systems=1, raters=1))]
    for data in studies:
        for chosen in CHOSEN[name]:
            result = analyses.run(name, data, analyses.options(name, chosen))
            del result["made_of"]
            assert not list(misfits(result, type_of(name)))


class Example(TypedDict):
    always: list[float | None]
    sometimes: NotRequired[Literal["a"]]


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"always": [1, 2.5, None]}, True),
        ({"always": [], "sometimes": "a"}, True),
        ({"always": [], "sometimes": "b"}, False),
        ({"always": ["1"]}, False),
        ({"always": [True]}, False),
        ({"sometimes": "a"}, False),
        ({"always": [], "more": 1}, False),
    ],
)
def test_what_does_not_fit_is_found(value, fits):
    assert bool(list(misfits(value, Example))) is not fits
