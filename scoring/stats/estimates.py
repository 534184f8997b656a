"""The one type for a number: what it is, how sure, of how much, and how it was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypedDict


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None  # rows behind it; None = not counted
    reason: str | None = None  # why value, or else the interval, is None
    signature: str = ""  # how it was computed

    @property
    def numbers(self) -> tuple[float | None, float | None, float | None]:
        return self.value, self.low, self.high

    def transformed(self, scale: Callable[[float], float]) -> Estimate:
        """On another scale, which keeps the order of numbers."""
        value, low, high = (
            None if number is None else scale(number) for number in self.numbers
        )
        return replace(self, value=value, low=low, high=high)

    def negated(self) -> Estimate:
        """With the other sign, and so the limits the other way round."""
        value, low, high = (
            None if number is None else -number
            for number in (self.value, self.high, self.low)
        )
        return replace(self, value=value, low=low, high=high)

    def with_signature(self, signature: str) -> Estimate:
        """The same, and how it was computed."""
        return replace(self, signature=signature)


class Number(TypedDict):
    """An estimate as it is stored and sent."""

    value: float | None
    low: float | None
    high: float | None
    reason: str | None
    n: int | None
    signature: str


def number(estimate: Estimate) -> Number:
    """An estimate, ready for JSON."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "reason": estimate.reason,
        "n": estimate.n,
        "signature": estimate.signature,
    }
