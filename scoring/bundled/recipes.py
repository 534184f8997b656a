"""The bundled models: what each learns, how large it is, and for how long."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scoring.bundled.continuing import Continuing
from scoring.bundled.embedding import Embedding
from scoring.bundled.infilling import Infilling
from scoring.bundled.windows import Objective


@dataclass(frozen=True)
class Recipe:
    """How one model is made. All of it is in the model card."""

    name: str
    objective: type[Objective]
    sizes: dict[str, Any]  # of its configuration
    rate: float  # peak learning rate
    tokens: float  # read in all, padding included
    batch: int  # tokens of a batch on an accelerator
    decay: float = 0.1
    clip: float = 1.0
    warmup: float = 0.02  # share of the training
    good: str = ""
    bad: str = field(default="", compare=False)


def _pegasus(
    width: int, heads: int, encoder: int, decoder: int, dropout: float
) -> dict:
    return {
        "d_model": width,
        "encoder_layers": encoder,
        "decoder_layers": decoder,
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": 4 * width,
        "decoder_ffn_dim": 4 * width,
        "dropout": dropout,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
    }


def _llama(width: int, heads: int, layers: int, inner: int) -> dict:
    return {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "intermediate_size": inner,
    }


_FILLS = "CTRLEval, BARTScore and perplexity of an encoder-decoder"
_CONTINUES = "perplexity, contrastive distributions, trying out an LLM judge"

RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "infill-small",
            Infilling,
            # Reading costs most in CTRLEval: the demo is to be scored in a minute.
            _pegasus(width=288, heads=6, encoder=5, decoder=4, dropout=0.1),
            rate=1e-3,
            tokens=1.2e9,
            batch=32_768,
            good=f"{_FILLS}, in seconds on a processor; the expert to infill-nano",
        ),
        Recipe(
            "infill-nano",
            Infilling,
            _pegasus(width=96, heads=3, encoder=2, decoder=2, dropout=0.0),
            rate=2e-3,
            tokens=3e8,
            batch=32_768,
            good=f"tests of {_FILLS}; the amateur to infill-small",
        ),
        Recipe(
            "causal-small",
            Continuing,
            _llama(width=224, heads=7, layers=6, inner=608),
            rate=1.5e-3,
            tokens=8e8,
            batch=32_768,
            good=f"{_CONTINUES}; the expert to causal-nano",
        ),
        Recipe(
            "causal-nano",
            Continuing,
            _llama(width=96, heads=3, layers=2, inner=256),
            rate=3e-3,
            tokens=3e8,
            batch=32_768,
            good=f"tests of {_CONTINUES}; the amateur to causal-small",
        ),
        Recipe(
            "encoder-small",
            Embedding,
            {"dim": 160, "n_heads": 5, "n_layers": 4, "hidden_dim": 640}
            | {"dropout": 0.1, "attention_dropout": 0.0},
            rate=1e-3,
            tokens=6e8,
            batch=32_768,
            good="token embeddings for BERTScore, text embeddings (their mean) for"
            " divergences between sets of texts",
        ),
    )
}
