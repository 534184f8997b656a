"""The bundled models: what each learns, how large it is, and for how long."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.bundled import cooccurrence
from benchmarks.bundled.continuing import Continuing
from benchmarks.bundled.embedding import Embedding
from benchmarks.bundled.infilling import Infilling
from benchmarks.bundled.windows import Objective


@dataclass(frozen=True)
class Recipe:
    """How one model is made. All of it is in the model card."""

    name: str
    objective: type[Objective]
    sizes: dict[str, float]  # of its configuration
    rate: float  # peak learning rate
    tokens: float  # read in all, padding included
    batch: int  # tokens
    decay: float = 0.1
    clip: float = 1.0
    warmup: float = 0.02  # share of the training
    # A large batch is computed in so many parts: examples that need little padding
    # together. One step follows all of them.
    parts: int = 1
    # Tokens of a batch of what is held out: losses of all batch sizes can be compared.
    held_out_batch: int = 2048
    # Embeddings: their spread at the start, and their learning rate beside the others'.
    spread: float = cooccurrence.SPREAD
    pace: float = 1.0
    good: str = ""
    bad: str = field(default="", compare=False)


def _pegasus(
    width: int, heads: int, encoder: int, decoder: int, dropout: float = 0.0
) -> dict[str, float]:
    return {
        "d_model": width,
        "encoder_layers": encoder,
        "decoder_layers": decoder,
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": 4 * width,
        "decoder_ffn_dim": 4 * width,
        # What is read once or twice is not learned by heart: there 0.
        "dropout": dropout,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
    }


def _llama(width: int, heads: int, layers: int, inner: int) -> dict[str, float]:
    return {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "intermediate_size": inner,
    }


# What stands near what is known from the start, and is to be kept: large embeddings
# that move slowly. Without, models forgot it within a hundred steps and never looked at
# the text for a gap of one word. Models that only continue texts learn faster without.
KEPT_SPREAD, KEPT_PACE = 0.125, 0.2

_FILLS = "CTRLEval, BARTScore and perplexity of an encoder-decoder"
_CONTINUES = "perplexity, contrastive distributions, trying out an LLM judge"

# Sizes and tokens are what two cores of a processor can do in two hours. Only what is
# called medium needs an accelerator: it reads everything several times.
RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "infill-small",
            Infilling,
            # Reading costs most in CTRLEval: the demo is to be scored in a minute.
            _pegasus(width=256, heads=4, encoder=4, decoder=2),
            rate=1.2e-3,
            tokens=8e7,
            batch=2048,
            spread=KEPT_SPREAD,
            pace=KEPT_PACE,
            good=f"{_FILLS}, in seconds on a processor; the expert to infill-nano",
        ),
        Recipe(
            "infill-medium",
            Infilling,
            # float16 weights of 50 MB: what the project has room for.
            _pegasus(width=384, heads=6, encoder=6, decoder=4, dropout=0.1),
            rate=1.5e-3,
            tokens=1e9,
            batch=65536,
            parts=4,
            spread=KEPT_SPREAD,
            pace=KEPT_PACE,
            good=f"{_FILLS}, in minutes on a processor",
        ),
        Recipe(
            "infill-nano",
            Infilling,
            _pegasus(width=96, heads=3, encoder=2, decoder=2),
            rate=2e-3,
            tokens=4e7,
            batch=2048,
            spread=KEPT_SPREAD,
            pace=KEPT_PACE,
            good=f"tests of {_FILLS}; the amateur to infill-small",
        ),
        Recipe(
            "causal-small",
            Continuing,
            _llama(width=192, heads=3, layers=5, inner=512),
            rate=2e-3,
            tokens=2.5e7,
            batch=2048,
            good=f"{_CONTINUES}; the expert to causal-nano",
        ),
        Recipe(
            "causal-nano",
            Continuing,
            _llama(width=96, heads=3, layers=2, inner=256),
            rate=3e-3,
            tokens=1.4e7,
            batch=2048,
            good=f"tests of {_CONTINUES}; the amateur to causal-small",
        ),
        Recipe(
            "encoder-small",
            Embedding,
            {"dim": 192, "n_heads": 3, "n_layers": 4, "hidden_dim": 768}
            | {"dropout": 0.0, "attention_dropout": 0.0},
            rate=1.2e-3,
            tokens=3e7,
            # Each text is told from the others of its batch: the more, the better.
            batch=4096,
            held_out_batch=4096,
            spread=KEPT_SPREAD,
            pace=KEPT_PACE,
            good="token embeddings for BERTScore, text embeddings (their mean) for"
            " divergences between sets of texts",
        ),
    )
}
