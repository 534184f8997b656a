"""What simulated workers make of texts that they are to correct.

Who reads repairs the damaged text as its source has it, and changes more words of a
text, the worse it is. Who reads nothing says that nothing is wrong, or rewrites every
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.kinds.edits import content, edit_drafts, words
from annotation.kinds.edits.edit_drafts import Original, Sent
from annotation.models import Item, Seat
from annotation.models.texts import full_text
from annotation.quality.rater_kinds import BLIND, KINDS

# Share of damaged texts that they see to be damaged.
NOTICES = {"careful": 0.98, "noisy": 0.85, "lazy": 0.3}
WORST = 0.25  # share of the words that are changed in a text of the lowest quality
BEST, RANGE = 5.0, 4.0  # of quality
USUAL = 3.2  # where a study asks about no aspect


def corrections(
    *,
    kind: str,
    seat: Seat,
    items: Mapping[int, Item],
    quality: Mapping[int, Sequence[float]],
    rng: np.random.Generator,
) -> dict[int, Sent]:
    """What a worker of this kind hands in, by position.

    Args:
        kind: Of `rater_kinds.NAMES`.
        seat: Theirs.
        items: Of the page, with the negative and its source.
        quality: Of the undamaged text of each item, from 1 to 5 on each aspect.
        rng: Decides which words, and what is overlooked.
    """
    originals = content.originals(seat)
    if kind in KINDS:
        return {
            position: _read(
                original,
                seat.survey.prompt.prefix,
                items[original.item_id],
                quality[original.item_id],
                NOTICES[kind],
                rng,
            )
            for position, original in originals.items()
        }
    ticks = rng.random() < BLIND[kind]
    return {
        position: Sent(None, True) if ticks else Sent(_anew(original.rest, rng), False)
        for position, original in originals.items()
    }


def _read(
    original: Original,
    prefix: str,
    item: Item,
    quality: Sequence[float],
    notices: float,
    rng: np.random.Generator,
) -> Sent:
    if item.negative is not None:
        source = full_text(prefix, item.negative.source.text)
        repaired = edit_drafts.original(item.pk, prefix, source).rest
        return Sent(repaired, False) if rng.random() < notices else Sent(None, True)
    mean = float(np.mean(quality)) if len(quality) else USUAL
    wrong = min(max((BEST - mean) / RANGE, 0.0), 1.0) * WORST
    changed = _some_changed(original.rest, wrong, rng)
    return Sent(None, True) if changed == original.rest else Sent(changed, False)


def _some_changed(text: str, share: float, rng: np.random.Generator) -> str:
    """The text with each word, with this chance, exchanged for another one of it."""
    found = words.words(text)
    wrong = iter(rng.random(len(found)) < share)
    others = iter(rng.permutation(found).tolist())
    return words.WORD.sub(
        lambda match: str(next(others)) if next(wrong) else match[0], text
    )


def _anew(text: str, rng: np.random.Generator) -> str:
    return " ".join(rng.permutation(words.words(text)).tolist()) or "x"
