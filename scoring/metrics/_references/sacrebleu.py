"""What the metrics that sacrebleu computes have in common."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from annotation.sentences import scripts
from scoring.metrics._engine.base import OptionError, Scorer, option
from scoring.metrics._references.several import JointScorer, PairScorer

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

# The library's own way with several references; the others use it for one at a time.
JOINT = "joint"

MAX_ORDER = 20  # lists of this length are made for every text

AUTO = "auto"  # by the script of each text
TOKENIZERS = {
    AUTO: "by the script of each text",
    "13a": "as in WMT (13a)",
    "intl": "as in WMT, all scripts (intl)",
    "char": "into characters",
    "zh": "for Chinese",
    "none": "at white space",
}
MECAB = ("MeCab", "ipadic")  # what sacrebleu's tokenizer for Japanese needs


def tokenize_option() -> Any:
    """The option `tokenize`, the same for BLEU of texts, of systems and among texts."""
    return option(
        AUTO,
        "what counts as a word: auto is 13a, but zh for Chinese, and for Japanese and"
        " Thai characters; 13a and intl separate punctuation, intl in all scripts; char"
        " splits into characters, zh also separates Chinese characters, none splits at"
        " white space",
        tuple(TOKENIZERS),
        label="How words are split",
        titles=tuple(TOKENIZERS.values()),
    )


def tokenizer(name: str) -> Callable[[str], str]:
    """One of sacrebleu's tokenizers, which put spaces between words."""
    return by_script if name == AUTO else _tokenizer(name)


def by_script(line: str) -> str:
    """A line with spaces between its words, by sacrebleu's tokenizer for its script."""
    names = {"han": "zh", "kana": _japanese(), "other": "char"}
    if name := names.get(scripts.script(line)):
        return _tokenizer(name)(line)
    return _tokenizer("13a")(scripts.apart(line))


def with_words_apart(metric: Any) -> Any:
    """The metric, reading each character of a script without spaces as a word."""
    prepared = metric._preprocess_segment
    metric._preprocess_segment = lambda line: prepared(scripts.apart(line))
    return metric


def _japanese() -> str:
    return "ja-mecab" if all(map(find_spec, MECAB)) else "char"


@functools.cache
def _tokenizer(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    found: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    return found


def contents(tokenize: str = "") -> dict[str, str]:
    """For the signature: another version may give other numbers."""
    found = {"sacrebleu": version("sacrebleu")}
    if tokenize == AUTO:
        found["tokenize"] = f"{AUTO}, {_japanese()} for Japanese"
    return found


def scorer(
    signature: str,
    key: str,
    metric: Metric,
    *,
    aggregate: str,
    higher_is_better: bool = True,
) -> Scorer:
    """One number for each text, as the library's `sentence_score` gives it."""

    def group(text: str, references: list[str]) -> float:
        return metric.sentence_score(text, references).score

    def pair(text: str, reference: str) -> dict[str, float]:
        return {key: group(text, [reference])}

    if aggregate == JOINT:
        return JointScorer(signature, key, group)
    return PairScorer(
        signature,
        pair,
        keys=(key,),
        aggregate=aggregate,
        higher_is_better=higher_is_better,
    )


def check_order(name: str, value: int, least: int) -> None:
    """Refuse lengths of n-grams that mean nothing, or fill the memory.

    Raises:
        OptionError: If the value is not from `least` to MAX_ORDER.
    """
    if not least <= value <= MAX_ORDER:
        raise OptionError(f"{name}={value}: expected {least} to {MAX_ORDER}")
