from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from annotation.models import Generation

Page = list[Generation]
Pair = frozenset[int | None]  # two systems
Met = Counter[Pair]

# Blocks of systems are the best of so many random ones.
N_TRIES = 12


def cut(
    *, generations: Sequence[Generation], size: int, rng: np.random.Generator
) -> Iterator[Page]:
    """Cut texts, given in order, into pages of one prompt and at most `size` texts."""
    n_met: Met = Counter()  # how often two systems shared a page
    by_prompt: dict[int, dict[int | None, Page]] = defaultdict(dict)
    for text in generations:
        by_prompt[text.prompt_id].setdefault(text.system_id, []).append(text)
    for by_system in by_prompt.values():
        unknown = by_system.pop(None, [])
        for k in range(max(map(len, by_system.values()), default=0)):
            present = [texts[k] for texts in by_system.values() if k < len(texts)]
            yield from _blocks(present, size, n_met, rng)
        yield from _in_order(unknown, size)


def _in_order(texts: Page, size: int) -> Iterator[Page]:
    start = 0
    for n in _even_sizes(len(texts), size):
        yield texts[start : start + n]
        start += n


def _even_sizes(n: int, size: int) -> list[int]:
    """As few pages as hold n texts, of sizes that differ by one at most."""
    n_pages = math.ceil(n / size)
    return [n // n_pages + (i < n % n_pages) for i in range(n_pages)]


def _blocks(texts: Page, size: int, n_met: Met, rng: np.random.Generator) -> list[Page]:
    """Texts of different systems on pages, where those that met least meet."""
    if len(texts) <= size:
        return [texts]
    tries = [_some_blocks(texts, size, n_met, rng) for _ in range(N_TRIES)]
    best = min(tries, key=lambda blocks: sum(_n_met(b, n_met) for b in blocks))
    for block in best:
        n_met.update(_pairs(block))
    return best


def _some_blocks(
    texts: Page, size: int, n_met: Met, rng: np.random.Generator
) -> list[Page]:
    """Each text in random order goes where its system met the fewest so far."""
    room = _even_sizes(len(texts), size)
    blocks: list[Page] = [[] for _ in room]
    for i in rng.permutation(len(texts)):
        open_ones = [b for b, n in zip(blocks, room, strict=True) if len(b) < n]
        new = texts[i]
        min(
            open_ones,
            key=lambda block: _n_met([*block, new], n_met) - _n_met(block, n_met),
        ).append(new)
    return blocks


def _n_met(block: Page, n_met: Met) -> int:
    return sum(n_met[pair] for pair in _pairs(block))


def _pairs(block: Page) -> Iterator[Pair]:
    return (
        frozenset((one.system_id, other.system_id))
        for one, other in combinations(block, 2)
    )
