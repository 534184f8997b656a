"""What ratings usually vary by, where there is no similar study to learn it from."""

from __future__ import annotations

from scoring.stats.components.levels import PROMPT, RESIDUAL, SYSTEM, TEXT

# Means of five public sets, on a scale from 1 to 5: benchmarks/sample_size.md. What
# raters differ by is in the residual, because three of the sets do not name them.
OF_FIVE_POINTS = {SYSTEM: 0.42, PROMPT: 0.06, TEXT: 0.19, RESIDUAL: 0.87}
WORDS = "typical values of five public studies"


def typical(low: float, high: float) -> dict[str, float]:
    """The same for a scale with these ends: variances grow with its square.

    >>> typical(1, 5)["text"], typical(0, 1)["text"]
    (0.19, 0.011875)
    """
    times = ((high - low) / 4) ** 2
    return {name: of * times for name, of in OF_FIVE_POINTS.items()}
