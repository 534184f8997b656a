"""The output layer against a plain computation, in both number formats."""

import numpy as np
import pytest

from scoring.metrics import get
from scoring.metrics._engine import output_layer
from scoring.metrics._engine.output_layer import Head

STATES, WIDTH, TOKENS, WANTED = 50, 64, 300, 400


def drawn(dtype, *, largest):
    """States, weights and what is asked; one logit of each state is far above others.

    The token that is asked for is the likeliest one in half of the cases.
    """
    import torch

    rng = np.random.default_rng(0)
    weight = torch.tensor(rng.normal(size=(TOKENS, WIDTH)) / WIDTH**0.5)
    index = rng.integers(0, STATES, WANTED)
    likeliest = rng.integers(0, TOKENS, STATES)
    tokens = np.where(
        rng.random(WANTED) < 0.5, likeliest[index], rng.integers(0, TOKENS, WANTED)
    )
    hidden = weight[likeliest] * largest + torch.tensor(
        rng.normal(size=(STATES, WIDTH))
    )
    return (
        hidden.to(dtype),
        weight.to(dtype),
        torch.tensor(index),
        torch.tensor(tokens),
    )


@pytest.fixture(params=[(2048, 512), (64, 7)], ids=["one block", "many blocks"])
def blocks(request, monkeypatch):
    monkeypatch.setattr(output_layer, "CPU_COLUMNS", request.param[0])
    monkeypatch.setattr(output_layer, "CPU_ROWS", request.param[1])


@pytest.mark.parametrize("biased", [False, True])
def test_in_float32_it_equals_the_plain_computation(blocks, biased):
    import torch

    hidden, weight, index, tokens = drawn(torch.float32, largest=20)
    bias = torch.linspace(-2, 2, TOKENS) if biased else None
    logits = hidden.double() @ weight.double().T + (bias if biased else 0)
    expected = logits.log_softmax(-1)[index, tokens]
    found = Head(weight, bias).log_probabilities(hidden, index, tokens)
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found, expected, atol=2e-5, rtol=0)


def test_in_bfloat16_no_probability_is_above_1(blocks):
    import torch

    hidden, weight, index, tokens = drawn(torch.bfloat16, largest=30)
    found = Head(weight).log_probabilities(hidden, index, tokens)
    assert (hidden @ weight.T).max() > 25  # where bfloat16 has steps of an eighth
    assert (found > -0.01).sum() > 100  # of which half would be above 0
    assert found.max() <= 0


def test_in_bfloat16_it_is_the_share_of_the_rounded_logits(blocks):
    import torch

    hidden, weight, index, tokens = drawn(torch.bfloat16, largest=30)
    logits = (hidden @ weight.T).double()
    expected = logits.log_softmax(-1)[index, tokens]
    found = Head(weight).log_probabilities(hidden, index, tokens)
    # Blocks of another size may add the products up in another order.
    np.testing.assert_allclose(found, expected, atol=0.13, rtol=0)
    assert (found - expected).abs().median() < 1e-5


def test_scores_in_bfloat16_are_told_from_those_that_could_exceed_1():
    signatures = {
        dtype: get("perplexity")(model="bundled:causal-nano", dtype=dtype).signature()
        for dtype in ("float32", "bfloat16")
    }
    assert "|dtype:float32|" in signatures["float32"]
    assert "|dtype:bfloat16.2|" in signatures["bfloat16"]
