"""Names and numbers that a text shares with a reference.

A simple form of the entity coverage of Goodrich et al. (2019), one of the proxy metrics
in section 5.3 of ARGENT, which look at a single property of a text. Names and numbers
are scored separately. With T the set found in the text and R the set found in the
reference, each item counted once,

    precision = |T and R| / |T|, recall = |T and R| / |R|,
    F1 = 2 |T and R| / (|T| + |R|), each in [0, 1].

A low precision suggests names that were made up, a low recall names that were left out.

- A name is a word that begins with a capital letter inside a sentence. The first word
  of a sentence or of a quotation, or after a colon, counts as a name only if it also
  has a capital inside a sentence of the text or of the reference. Each word of a name
  counts separately: "Barack Obama" is two, so "Obama" is half of it. "I" and articles
  are not names.
- A number is written in digits, or as an English word from two to ninety-nine; "one" is
  left out because it is rarely a number. 1,000 is 1000, 2.50 is 2.5 and seven is 7;
  signs and units are ignored.

It uses no model and is meant for English. All German nouns are taken for names, and so
are months, languages and words in headings. A name that only ever begins sentences is
missed. Numbers of several words above ninety-nine are split: "two hundred" is 2.

With several references, the best score or the mean is used for each output separately;
a reference for which an output is undefined is ignored. Where a reference does not
begin with the prefix, the text is compared without its prefix. NaN, with a reason,
where there is no reference, and where the denominator is 0: for
precision no name in the text, for recall none in a reference, for F1 none in either.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from annotation import sentences
from scoring.metrics._engine.base import Metric, Output, Scorer
from scoring.metrics._references import kinds
from scoring.metrics._references.several import (
    ByReference,
    PairScorer,
    aggregate_option,
)

KINDS = ("names", "numbers")
MEASURES = {"precision": "precision", "recall": "recall", "f1": "F1"}
REASONS = {
    "precision": "there are no {} in the text",
    "recall": "there are no {} in any reference",
    "f1": "neither the text nor a reference has {}",
}

# Letters with dots between them, or a word without a final 's.
_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W\d_](?:\w|[-&]\w|['’](?!s\b)\w)*")
# After these, every word has a capital.
_OPENERS = frozenset("\"“”„«'‘:!?([…—–")
_NO_NAMES = frozenset(("a", "an", "the", "i", "i'm", "i'd", "i've", "i'll"))

_DIGITS = re.compile(r"(?<![\w.])[0-9]+(?:[.,:][0-9]+)*")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SMALL = {
    word: value
    for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen"
        " fourteen fifteen sixteen seventeen eighteen nineteen".split(),
        start=1,
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_NUMBER_WORDS = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join([*_SMALL][:9])}))?"
    rf"|({'|'.join([*_SMALL][1:])}))\b"
)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    aggregate: str = aggregate_option()
    reference_kind: str = kinds.kind_option()


class NamesAndNumbers(ByReference, Metric):
    """Names and numbers that the text shares with the references."""

    title = "Names and numbers"
    source = "after Goodrich et al. (2019)"
    link = "https://arxiv.org/abs/1905.13322"
    version = 2  # 2: empty texts count
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(
            Output(f"{kind}_{key}", f"{kind.title()}, {name}", f"{name}, [0, 1]", True)
            for kind in KINDS
            for key, name in MEASURES.items()
        )

    def load(self, device: str = "cpu") -> Scorer:
        """Load only the sentence splitter."""
        reasons = {
            f"{kind}_{key}": REASONS[key].format(kind)
            for kind in KINDS
            for key in MEASURES
        }
        scorer = PairScorer(
            self.signature(splitter=sentences.NAME),
            overlaps,
            keys=tuple(reasons),
            aggregate=self.options.aggregate,
            undefined=reasons,
        )
        return kinds.choosing(scorer, self.options.reference_kind)


def overlaps(text: str, reference: str) -> dict[str, float]:
    """All outputs of one text and one reference, NaN where undefined."""
    found = {
        "names": names(text, reference),
        "numbers": (numbers(text), numbers(reference)),
    }
    return {
        f"{kind}_{key}": value
        for kind, sets in found.items()
        for key, value in _overlap(*sets).items()
    }


def names(text: str, reference: str) -> tuple[set[str], set[str]]:
    """Words of names in either, in lower case and without dots.

    >>> names("Rome is old. Yet Ann likes it.", "She likes Rome.")
    ({'rome', 'ann'}, {'rome'})
    """
    found = [_capitals(one) for one in (text, reference)]
    sure = found[0][0] | found[1][0]
    first, second = (inside | (opening & sure) for inside, opening in found)
    return first, second


def _capitals(text: str) -> tuple[set[str], set[str]]:
    """Words with a capital inside sentences, and those where any word has one."""
    inside: set[str] = set()
    opening: set[str] = set()
    for sentence in sentences.split(text):
        for match in _WORD.finditer(sentence):
            word = match[0].replace("’", "'").replace(".", "").lower()
            if match[0][0].isupper() and word not in _NO_NAMES:
                before = sentence[: match.start()].rstrip()[-1:]
                opens = not before or before in _OPENERS
                (opening if opens else inside).add(word)
    return inside, opening


def numbers(text: str) -> set[str]:
    """Numbers in a text, each in a standard form.

    >>> numbers("Twenty-one of 1,000.50 at 9:30, not two")
    {'21', '1000.5', '9:30', '2'}
    """
    found = {_plain(match[0]) for match in _DIGITS.finditer(text)}
    for tens, ones, small in _NUMBER_WORDS.findall(text.lower()):
        found.add(str(_TENS.get(tens, 0) + _SMALL.get(ones or small, 0)))
    return found


def _plain(digits: str) -> str:
    """In standard form: 1,000 becomes 1000, 2.50 becomes 2.5."""
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    whole, _, part = digits.partition(".")
    if not (whole + part).isdigit():  # a time, a version, a decimal comma
        return digits
    return ".".join(filter(None, (whole.lstrip("0") or "0", part.rstrip("0"))))


def _overlap(own: set[str], other: set[str]) -> dict[str, float]:
    both = len(own & other)
    return {
        "precision": both / len(own) if own else np.nan,
        "recall": both / len(other) if other else np.nan,
        "f1": 2 * both / (len(own) + len(other)) if own or other else np.nan,
    }
