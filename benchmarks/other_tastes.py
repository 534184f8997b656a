"""Whom the odds of random answers discard: random workers, and readers of other tastes.

OMP_NUM_THREADS=1 python -m benchmarks.other_tastes [--workers 100]

Pages of four texts and a damaged one, three aspects of which one is hurt, five points;
two others have rated each page. A reader's own taste has this slope on what others
like; damage costs this share of the scale. Percent of workers whom the odds of 50 find
by a page, looking after each page from the third on.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

import django
import numpy as np

django.setup()

from annotation.careless import odds  # noqa: E402

TEXTS, ASPECTS, PAGES, NOISE, LIMIT = 4, 3, 16, 0.8, 50
SCALES = odds.Scales(4, (5,) * ASPECTS)
BY_PAGE = (8, 16)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=100)
    workers = parser.parse_args().workers
    print("| worker | fall | by page 8 | by page 16 |\n| --- | --- | --- | --- |")
    print(_row("random", None, 0.0, workers), flush=True)
    for fall in (0.25, 0.4):
        for slope in (-1.0, -0.5, 0.0, 0.5):
            print(_row(f"slope {slope:g}", slope, fall, workers), flush=True)


def _row(name: str, slope: float | None, fall: float, workers: int) -> str:
    first = np.array([_first(k, slope, fall) for k in range(workers)])
    shown = " | ".join(f"{100 * (first <= page).mean():.0f}" for page in BY_PAGE)
    return f"| {name} | {'—' if slope is None else fall} | {shown} |"


def _first(seed: int, slope: float | None, fall: float) -> float:
    """The page after which all are discarded; infinite if none."""
    rng = np.random.default_rng([seed, int(100 * fall), int(100 * (slope or 0)) + 200])
    pages = [_page(rng, slope, fall) for _ in range(PAGES)]
    over = (
        n for n in range(3, PAGES + 1) if odds.over(pages[:n], SCALES).times > LIMIT
    )
    return next(over, np.inf)


def _page(rng: np.random.Generator, slope: float | None, fall: float) -> odds.Seen:
    quality = _taste(rng)
    others = _rated(3 + quality + rng.normal(0, NOISE, (2, TEXTS, ASPECTS)))
    own = rng.integers(1, 6, (TEXTS + 1, ASPECTS)).astype(float)
    if slope is not None:
        taste = slope * quality + np.sqrt(1 - slope**2) * _taste(rng)
        damaged = rng.normal(0, 0.5, (1, ASPECTS)) - fall * SCALES.width
        felt = np.vstack([taste, damaged])
        own = _rated(3 + felt + rng.normal(0, NOISE, felt.shape))
    return odds.see(
        real=own[:TEXTS],
        negative=np.vstack([own[TEXTS:, :1], own[:TEXTS, :1]]),
        others=others,
        scales=SCALES,
        compared=[0],
    )


def _taste(rng: np.random.Generator) -> np.ndarray:
    """What someone thinks of the texts, (texts, aspects)."""
    alike = rng.normal(0, 1, (TEXTS, 1))
    return np.asarray(alike + rng.normal(0, 0.5, (TEXTS, ASPECTS)))


def _rated(felt: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip(np.round(felt), 1, 5))


if __name__ == "__main__":
    main()
