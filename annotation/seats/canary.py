"""What a sentence asks for that nobody sees, and that a program may follow.

The sentence (`crowd.forms.inserts`) asks for one answer to one question about one text.
All three are drawn at random, the answer from all points of the scale alike: whoever
does not know the sentence gives that answer with a chance of 1 / points, whatever they
think of the text. So how often honest people seem to follow it is known exactly,
without any model of how they rate.

Nothing is stored: the draw is made again from the study's seed and the seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotation.models import Aspect


class Asked(NamedTuple):
    """The answer that the sentence of one page asks for."""

    position: int  # of the text, from 1
    aspect: Aspect
    value: int

    @property
    def chance(self) -> float:
        """Of giving it without knowing the sentence."""
        return 1 / len(self.aspect.scale)


def drawn(
    *, seed: int, seat: int, texts: int, aspects: Sequence[Aspect]
) -> Asked | None:
    """The same whenever it is asked; None where there is nothing to answer.

    Args:
        seed: Of the study. Workers do not know it.
        seat: Its id.
        texts: On the page.
        aspects: Of the study, in their order.
    """
    if not texts or not aspects:
        return None
    rng = np.random.default_rng([seed, seat])
    position = int(rng.integers(texts)) + 1
    aspect = aspects[int(rng.integers(len(aspects)))]
    return Asked(position, aspect, int(rng.choice(list(aspect.scale))))
