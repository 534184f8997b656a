"""Table 8 of Ke et al. (2022): prompts and verbalizers for attribute relevance."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

TEXT = "<gen_result>"
MASK = "<mask_token>"


class Table(NamedTuple):
    """Pattern evaluators: every prompt with every row of words."""

    labels: tuple[str, ...]
    prompts: tuple[str, ...]  # with TEXT and MASK
    words: tuple[tuple[str, ...], ...]  # rows of one word per label

    def hash(self) -> str:
        """Content hash for signatures."""
        return f"sha256:{hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:16]}"


def _both_orders(*prompts: str) -> tuple[str, ...]:
    """Each prompt after the text, then before it."""
    return tuple(
        order
        for prompt in prompts
        for order in (f"{TEXT} {prompt}", f"{prompt} {TEXT}")
    )


SENTIMENT = Table(
    labels=("negative", "positive"),
    prompts=_both_orders(
        f"In summary, it was {MASK}.",
        f"To sum up, it was {MASK}.",
        f"All in all, it was {MASK}.",
        f"In brief, it was {MASK}.",
        f"It was {MASK}.",
        f"It seems {MASK}.",
        f"It appears {MASK}.",
        f"It becomes {MASK}.",
        f"Really {MASK}!",
        f"Just {MASK}!",
        f"Actually {MASK}!",
        f"So {MASK}!",
    ),
    words=(("bad", "good"), ("negative", "positive"), ("terrible", "great")),
)

TOPIC = Table(
    labels=("computers", "politics", "religion", "science"),
    prompts=_both_orders(
        f"News: {MASK}",
        f"Article: {MASK}",
        f"Summary: {MASK}",
        f"Report: {MASK}",
        f"It was about {MASK}.",
        f"It was around {MASK}.",
        f"It was related to {MASK}.",
        f"It was towards {MASK}.",
        f"It was a piece of {MASK} news.",
        f"It was a {MASK} article.",
        f"It was a {MASK} summary.",
        f"It was a {MASK} report.",
        f"What {MASK} news!",
        f"What a {MASK} article!",
        f"What a {MASK} summary!",
        f"What a {MASK} report!",
    ),
    words=(("computers", "politics", "religion", "science"),),
)

TABLES = {"sentiment": SENTIMENT, "topic": TOPIC}
