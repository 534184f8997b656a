from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from annotation.models import Generation

Page = list[Generation]
System = int | None
Met = defaultdict[System, Counter[System]]  # how often two of them shared a page

# Blocks of systems are the best of so many random ones.
N_TRIES = 12


def cut(
    *, generations: Sequence[Generation], size: int, rng: np.random.Generator
) -> Iterator[Page]:
    """Cut texts, given in order, into pages of one prompt and at most `size` texts."""
    met: Met = defaultdict(Counter)
    by_prompt: dict[int, dict[System, Page]] = defaultdict(dict)
    for text in generations:
        by_prompt[text.prompt_id].setdefault(text.system_id, []).append(text)
    for by_system in by_prompt.values():
        unknown = by_system.pop(None, [])
        for k in range(max(map(len, by_system.values()), default=0)):
            present = [texts[k] for texts in by_system.values() if k < len(texts)]
            yield from _blocks(present, size, met, rng)
        yield from _in_order(unknown, size)


def cut_part(
    *, generations: Sequence[Generation], size: int, rng: np.random.Generator
) -> Iterator[Page]:
    """The same of a random part of the texts, some of each prompt.

    The k-th text of a system may be left out where that of another is drawn, so all
    drawn texts of a prompt are put together, on as few pages as hold them; those of one
    system as far apart as they can be.
    """
    by_prompt: dict[int, dict[System, Page]] = defaultdict(dict)
    for text in generations:
        by_prompt[text.prompt_id].setdefault(text.system_id, []).append(text)
    for by_system in by_prompt.values():
        unknown = by_system.pop(None, [])
        turns: Page = []
        for k in range(max(map(len, by_system.values()), default=0)):
            present = [texts[k] for texts in by_system.values() if k < len(texts)]
            turns += [present[i] for i in rng.permutation(len(present))]
        yield from _in_order(turns, size)
        yield from _in_order(unknown, size)


def _in_order(texts: Page, size: int) -> Iterator[Page]:
    start = 0
    for n in even_sizes(len(texts), size):
        yield texts[start : start + n]
        start += n


def even_sizes(n: int, size: int) -> list[int]:
    """As few pages as hold n texts, of sizes that differ by one at most."""
    n_pages = math.ceil(n / size)
    return [n // n_pages + (i < n % n_pages) for i in range(n_pages)]


def _blocks(texts: Page, size: int, met: Met, rng: np.random.Generator) -> list[Page]:
    """Texts of different systems on pages, where those that met least meet."""
    if len(texts) <= size:
        return [texts]
    tries = [_some_blocks(texts, size, met, rng) for _ in range(N_TRIES)]
    _, best = min(tries, key=lambda found: found[0])
    for block in best:
        for one, other in permutations(block, 2):
            met[one.system_id][other.system_id] += 1
    return best


def _some_blocks(
    texts: Page, size: int, met: Met, rng: np.random.Generator
) -> tuple[int, list[Page]]:
    """Each text in random order goes where its system met the fewest so far.

    Also how often those on a page had met before, all pages together.
    """
    room = even_sizes(len(texts), size)
    blocks: list[Page] = [[] for _ in room]
    total = 0
    for i in rng.permutation(len(texts)):
        n_met = met[texts[i].system_id].get
        costs = [
            sum([n_met(other.system_id, 0) for other in block])
            if len(block) < n
            else math.inf
            for block, n in zip(blocks, room, strict=True)
        ]
        least = min(costs)
        blocks[costs.index(least)].append(texts[i])
        total += int(least)
    return total, blocks
