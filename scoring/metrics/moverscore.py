"""MoverScore: how far the tokens of a text are from those of a reference, in context.

Zhao et al. (2019), section 3. Token vectors x_i of the text and y_j of the reference
are scaled to length 1; the weights f_i of the text's tokens sum to 1, and so do the
weights g_j of the reference's tokens. With flows F_ij >= 0 that move the one to the
other at the lowest cost,

    moverscore = 1 - min_F sum_ij F_ij |x_i - y_j|,
    sum_j F_ij = f_i,  sum_i F_ij = g_j.

It is in [-1, 1], 1 for equal texts, symmetric in text and reference, and higher is
better. How much of that range is used depends on the model and layer, so compare only
scores with the same signature. The transport problem is solved exactly.

- With `ngram=2`, pairs of neighbouring tokens are moved together: the vector of a pair
  is the weighted mean of both, its weight is their sum. A text of a single token is
  moved as it is.
- All tokens have the same weight or, with the option `idf`, a weight in proportion to
  ln((N + 1) / (n + 1)), where n of the N texts in that file contain the token. Special
  tokens are left out.

What differs from the paper: vectors come from one layer (by default the last), not from
power means over several. What differs from the second version of the released code,
whose model is the default: that code computes 1 / (1 + cost) instead of 1 - cost,
leaves out punctuation and all but the first piece of each word, and computes idf from
the texts of the run.

With several references, the best score or the mean is used. Texts and references longer
than the model's limit are cut, and a note says so. An empty text has 0. NaN, with a
reason, where a text or all its references have no token with a weight. A reference
without a score is ignored.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from scoring.metrics._engine import models
from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import kinds, several, tokens
from scoring.metrics._references.token_pairs import UNDEFINED, Side, TokenScorer

if TYPE_CHECKING:
    import torch

KEY = "moverscore"
# Pivots of the network simplex: more than two texts of 512 tokens need.
MOST_STEPS = 10_000_000


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = tokens.model_option("distilbert/distilbert-base-uncased")
    layer: int = tokens.layer_option(-1)
    ngram: int = option(
        1,
        "how many neighbouring tokens are moved together",
        label="Tokens moved together",
    )
    idf: str = tokens.idf_option()
    aggregate: str = several.aggregate_option()
    reference_kind: str = kinds.kind_option()
    dtype: str = models.dtype_option()


class MoverScore(several.ByReference, Metric):
    """How little the text's tokens must change to become a reference."""

    title = "MoverScore"
    source = "Zhao et al. (2019), section 3"
    link = "https://aclanthology.org/D19-1053"
    version = 2  # 2: empty texts count
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(KEY, "MoverScore", "1 - distance, [-1, 1]", True),)

    def check(self) -> None:
        if self.options.ngram < 1:
            raise OptionError(f"ngram={self.options.ngram}: expected at least 1")

    def load(self, device: str = "cpu") -> Scorer:
        """Load the model.

        Raises:
            MetricError: If there is no such model, layer or file.
        """
        self.check()
        options = self.options
        encoder, contents = tokens.load(
            options.model,
            layer=options.layer,
            idf=options.idf,
            device=device,
            dtype=options.dtype,
        )
        scorer = TokenScorer(
            self.signature(**contents),
            encoder,
            functools.partial(match, size=options.ngram),
            (KEY,),
            options.aggregate,
            {KEY: UNDEFINED},
        )
        return kinds.choosing(scorer, self.options.reference_kind)


def match(text: Side, reference: Side, *, size: int) -> np.ndarray:
    """The score of each pair with n-grams of that size, (pairs, 1) float64.

    NaN where a side has no weight.
    """
    found = [
        _score(_grams(*left, size), _grams(*right, size))
        for left, right in zip(_each(text), _each(reference), strict=True)
    ]
    return np.array(found)[:, None]


def _each(side: Side) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    return zip(side.vectors, side.weights, strict=True)


def _score(
    text: tuple[torch.Tensor, np.ndarray], reference: tuple[torch.Tensor, np.ndarray]
) -> float:
    import torch

    (x, f), (y, g) = text, reference
    if not (len(f) and len(g)):
        return np.nan
    # With matrix products, small distances would be lost in rounding.
    costs = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    return 1 - distance(f, g, costs.cpu().double().numpy())


def distance(f: np.ndarray, g: np.ndarray, costs: np.ndarray) -> float:
    """The lowest cost of moving weights f to g, which are scaled to sum to 1.

    Earth mover's distance, exact. f is (n,), g is (m,), all > 0; costs (n, m) float64.
    """
    import ot

    return float(ot.emd2(f / f.sum(), g / g.sum(), costs, numItermax=MOST_STEPS))


def _grams(
    vectors: torch.Tensor, weights: torch.Tensor, size: int
) -> tuple[torch.Tensor, np.ndarray]:
    """Vectors and weights of a text's n-grams of those tokens that have a weight."""
    counts = weights > 0
    vectors, weights = vectors[counts], weights[counts]
    if size > 1 and len(weights):
        parts = weights.unfold(0, min(size, len(weights)), 1)  # (n-grams, size)
        weights = parts.sum(1)
        joined = (vectors.unfold(0, parts.shape[1], 1) * parts[:, None]).sum(2)
        vectors = joined / weights[:, None]
    return vectors, weights.cpu().double().numpy()
