"""One side of a pair of texts, made of vectors that are easy to compare by hand."""

import torch

from scoring.metrics._references.token_pairs import Side


def side(tokens, padding=0):
    """A text of (vector, weight) in two dimensions, and empty places behind them."""
    vectors = [vector for vector, _ in tokens] + [[0.0, 0.0]] * padding
    weights = [weight for _, weight in tokens] + [0] * padding
    real = [True] * len(tokens) + [False] * padding
    return Side(
        torch.tensor(vectors or [[0.0, 0.0]])[None],
        torch.tensor(weights or [0], dtype=torch.float32)[None],
        torch.tensor(real or [False])[None],
    )
