"""BERTScore: how similar the tokens of a text are to those of a reference, in context.

Zhang et al. (2020), eq. 1 and section 3. With x_i the vectors of the reference's tokens
and y_j those of the text's tokens, all scaled to length 1,

    recall = sum_i w_i max_j x_i'y_j / sum_i w_i,
    precision = sum_j w_j max_i x_i'y_j / sum_j w_j,
    f1 = 2 precision recall / (precision + recall).

All are in [-1, 1], and higher is better. How much of that range is used depends on the
model and layer, so compare only scores with the same signature. Scores are not rescaled
by a baseline.

- Vectors come from one layer of the model. `layer=0` is the layer that the authors
  chose for BERT, DistilBERT, RoBERTa and XLM-R of the usual sizes (17 of 24 for
  RoBERTa-large), and the last one of other models.
- A token's weight w is 1 or, with the option `idf`, ln((N + 1) / (n + 1)), where n of
  the N texts in that file contain the token. The released code uses the references of
  the run instead of a file, which makes the score of a text depend on the other texts.
- As in the released code, special tokens such as [CLS] and [SEP] can be the most
  similar token, but have no weight themselves. One that stands in a text itself counts
  as a word here, and has no weight in bert-score.

With the same encoder, scores agree with the package bert-score to within 1e-5. That
package counts padding as a token with similarity 0; EvalApp ignores padding. With
several references, each output is the best score or the mean.

Texts and references longer than the model's limit are cut, and a note says so. An empty
text has 0, as with bert-score. NaN, with a reason, where a text or all its references
have no token with a weight; F1 is also NaN where precision and recall are not both
above 0. A reference without a score is ignored.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from scoring.metrics._engine import models
from scoring.metrics._engine.base import Metric, Output, Scorer
from scoring.metrics._references import kinds, several, tokens
from scoring.metrics._references.token_pairs import UNDEFINED, Side, TokenScorer

if TYPE_CHECKING:
    import torch

COSINE = "cosine similarity, [-1, 1]"
TITLES = {
    "precision": "BERTScore, precision",
    "recall": "BERTScore, recall",
    "f1": "BERTScore, F1",
}
WHY_UNDEFINED = {
    "precision": UNDEFINED,
    "recall": UNDEFINED,
    "f1": "precision and recall are missing, or not both above 0",
}


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    model: str = tokens.model_option("FacebookAI/roberta-large")
    layer: int = tokens.layer_option(0)
    idf: str = tokens.idf_option()
    aggregate: str = several.aggregate_option()
    reference_kind: str = kinds.kind_option()
    dtype: str = models.dtype_option()


class BERTScore(several.ByReference, Metric):
    """How similar the text is to a reference, token by token in context."""

    title = "BERTScore"
    source = "Zhang et al. (2020)"
    link = "https://arxiv.org/abs/1904.09675"
    version = 2  # 2: empty texts count
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(Output(key, title, COSINE, True) for key, title in TITLES.items())

    def load(self, device: str = "cpu") -> Scorer:
        """Load the model.

        Raises:
            MetricError: If there is no such model, layer or file.
        """
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
            match,
            tuple(TITLES),
            options.aggregate,
            WHY_UNDEFINED,
        )
        return kinds.choosing(scorer, self.options.reference_kind)


def match(text: Side, reference: Side) -> np.ndarray:
    """Precision, recall and F1 of each pair, (pairs, 3) float64.

    NaN where a side has no weight; F1 also where the other two are not both above 0.
    """
    import torch

    similar = text.vectors @ reference.vectors.transpose(1, 2)
    similar = similar.clamp(-1, 1)  # rounding goes beyond
    both = text.real[:, :, None] & reference.real[:, None, :]
    similar = similar.masked_fill(~both, -torch.inf)
    precision = _mean(similar.amax(2), text)
    recall = _mean(similar.amax(1), reference)
    # A side without weight has no mean; if it has no token at all, the other side's is
    # -inf.
    there = precision.isfinite() & recall.isfinite()
    f1 = 2 * precision * recall / (precision + recall)
    f1[(precision <= 0) | (recall <= 0)] = torch.nan
    found = torch.stack([precision, recall, f1], dim=1)
    found[~there] = torch.nan
    return found.cpu().double().numpy()


def _mean(best: torch.Tensor, side: Side) -> torch.Tensor:
    weighted = (best * side.weights).masked_fill(side.weights == 0, 0)
    return weighted.sum(1) / side.weights.sum(1)
