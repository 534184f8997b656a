"""Labels of texts, and how people write them."""

from __future__ import annotations

from collections.abc import Sequence


def place_of(label: str, known: Sequence[str]) -> int | None:
    """Where a label stands among the known ones, or None.

    The same spelling comes first, because columns may tell "US" and "us" apart; then
    any case and white space around it, because Ke et al. (2022) print "Positive" for
    what their files call "positive".

    >>> place_of(" Positive", ["negative", "positive"])
    1
    """
    exact, wanted = label.strip(), folded(label)
    same = (k for k, one in enumerate(known) if one.strip() == exact)
    alike = (k for k, one in enumerate(known) if folded(one) == wanted)
    return next(same, next(alike, None))


def folded(label: str) -> str:
    """A label without its case and the white space around it."""
    return label.strip().casefold()
