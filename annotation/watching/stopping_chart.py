"""The sequence of one pair of systems as a chart: where its lines run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 12, 34  # around the lines


class Look(NamedTuple):
    """After so many prompts."""

    n: int
    mean: float | None
    low: float | None
    high: float | None


class Tick(NamedTuple):
    at: str
    words: str


class Chart(NamedTuple):
    """Points as SVG writes them: with a point in every language."""

    looks: list[Look]
    band: str
    means: str
    zero: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM
    middle: int = (LEFT + WIDTH - RIGHT) // 2


def chart(looks: Sequence[Look]) -> Chart | None:
    """The interval as a band and the mean as a line; None without two looks."""
    shown = [look for look in looks if look.low is not None and look.high is not None]
    if len(shown) < 2:
        return None
    # The first looks know nothing: the axis shows what is left at a quarter of them.
    late = shown[len(shown) // 4 :]
    ends = [0.0, *(end for look in late for end in (look.low, look.high) if end)]
    low, high = min(ends), max(ends)
    most = shown[-1].n

    def x(n: float) -> str:
        return f"{LEFT + (WIDTH - LEFT - RIGHT) * n / most:.1f}"

    def y(value: float) -> str:
        share = (min(max(value, low), high) - low) / (high - low or 1)
        return f"{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share:.1f}"

    def line(points: Sequence[tuple[int, float | None]]) -> str:
        return " ".join(f"{x(n)},{y(v)}" for n, v in points if v is not None)

    above = [(look.n, look.high) for look in shown]
    below = [(look.n, look.low) for look in reversed(shown)]
    return Chart(
        looks=list(looks),
        band=line([*above, *below]),
        means=line([(look.n, look.mean) for look in looks]),
        zero=y(0),
        x_ticks=[Tick(x(n), str(n)) for n in sorted({shown[0].n, most // 2, most})],
        y_ticks=[Tick(y(v), _signed(v)) for v in sorted({low, 0, high})],
    )


def _signed(value: float) -> str:
    """With the sign of a difference: a minus, not a hyphen."""
    return f"{value:+.2g}".replace("-", "−") if value else "0"
