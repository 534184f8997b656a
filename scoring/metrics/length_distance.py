"""Distance between the lengths of a system's texts and those of human texts.

With F and G the shares of the system's and of the human texts that have x words or
fewer:

- wasserstein = int |F(x) - G(x)| dx, in words, [0, inf): by how many words the texts
  would have to become longer or shorter, on average, for both sides to have the same
  lengths.
- kolmogorov_smirnov = max_x |F(x) - G(x)|, [0, 1].

Lower is better; 0 means identical distributions. Words are separated by white space (in
scripts without spaces, each character is one); an empty text has 0. There is no score
without texts or without a corpus.

With few texts the distance is larger by chance alone, so compare systems with the same
number of texts. This is a proxy, not a measure of quality: texts of the right length
may still say nothing right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.metrics._distributions.closeness import NO_CORPUS, NO_TEXT
from scoring.metrics._engine.base import Output, SystemMetric
from scoring.metrics.length import sizes


class LengthDistance(SystemMetric):
    """How far the lengths of a system's texts are from those of human texts."""

    title = "Distance of text lengths"
    short = "Lengths"
    source = "Yue et al. (2022), with two distances between distributions"
    link = "https://arxiv.org/abs/2210.14348"
    version = 2  # 2: words of scripts without spaces
    needs = frozenset({"corpus"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        test = "Kolmogorov-Smirnov distance of lengths"
        return (
            Output("wasserstein", "Distance of lengths", "words, [0, inf)", False),
            Output("kolmogorov_smirnov", test, "share of texts, [0, 1]", False),
        )

    def score(
        self, texts: Sequence[str], corpus: Sequence[str], rng: np.random.Generator
    ) -> dict[str, float | str | None]:
        """Nothing here is random."""
        # Imported here because it takes a second, and metrics are listed on every page.
        from scipy import stats

        if missing := NO_CORPUS if not corpus else NO_TEXT if not texts else "":
            return {output.key: missing for output in self.outputs}
        system, human = _lengths(texts), _lengths(corpus)
        return {
            "wasserstein": float(stats.wasserstein_distance(system, human)),
            "kolmogorov_smirnov": float(stats.ks_2samp(system, human).statistic),
        }


def _lengths(texts: Sequence[str]) -> list[float | None]:
    return [sizes(text)["words"] for text in texts]
