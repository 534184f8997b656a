"""Seconds that metrics once took, for servers that have not run them yet.

Seconds of one processor core for 1,000 texts of 100 words (60 texts of 121 words,
scaled), 22 November 2026, after loading, with the bundled models whose weights are
given. Cost grows about as the words of a text and the weights of a model do. The
trained metrics, which need a training first, are taken to cost as much as BERTScore, an
encoder of the same size, and an LLM judge as perplexity. TER is of 6 texts beside
unrelated ones, its slowest case: it looks for blocks of words that moved.
"""

from __future__ import annotations

WORDS = 100
# Weights of the bundled models, in bytes; two where two of them are asked.
INFILL, CAUSAL, PAIR, ENCODER = 17_400_000, 9_150_000, 11_960_000, 8_480_000

# Seconds for 1,000 texts, and the bytes of the model that they were measured with.
PER_THOUSAND: dict[str, tuple[float, int]] = {
    "argent": (14, ENCODER),
    "bartscore": (81, INFILL),
    "bertscore": (14, ENCODER),
    "bleu": (0.49, 0),
    "bleurt": (14, ENCODER),
    "cdm": (37, PAIR),
    "cdm_probe": (37, PAIR),
    "chrf": (1.3, 0),
    "corpus_bleu": (0.52, 0),
    "corpus_cdm": (33, PAIR),
    "corpus_chrf": (0.67, 0),
    "corpus_distinct": (0.11, 0),
    "corpus_perplexity": (22, CAUSAL),
    "corpus_repetition": (0.21, 0),
    "corpus_ter": (1700, 0),
    "ctrleval": (540, INFILL),
    "disscore": (14, ENCODER),
    "distinct": (0.084, 0),
    "divergence": (1.8, ENCODER),
    "fidelity": (11, ENCODER),
    "generative_cdm": (14, ENCODER),
    "length": (0.32, 0),
    "length_distance": (0.024, 0),
    "llm_judge": (21, CAUSAL),
    "meteor": (5.1, 0),
    "moverscore": (18, ENCODER),
    "names_and_numbers": (0.91, 0),
    "perplexity": (21, CAUSAL),
    "repetition": (0.11, 0),
    "rouge": (5.9, 0),
    "self_bleu": (0.43, 0),
    "string_divergence": (2.1, 0),
    "ter": (1700, 0),
    "union": (14, ENCODER),
    "zipf": (0.11, 0),
}


def seconds(metric: str, *, words: float, weights: int) -> float | None:
    """For one text, with models of so many bytes; None for one never measured."""
    if metric not in PER_THOUSAND:
        return None
    found, measured_with = PER_THOUSAND[metric]
    larger = max(1.0, weights / measured_with) if measured_with else 1.0
    return found / 1000 * max(words, 1) / WORDS * larger
