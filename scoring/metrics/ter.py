"""TER of each text: how much of it must be edited to turn it into a reference.

Snover et al. (2006), translation edit rate:

    TER = 100 edits / words of the reference, in [0, inf), lower is better.

An edit inserts, deletes or replaces one word, or moves a run of words. The smallest
number of edits is searched for greedily, as Tercom does. In scripts without spaces,
each character is a word. Scores are those of `sentence_score` of sacrebleu's TER, whose
version is in the signature. A text longer than its reference may need more edits than
the reference has words.

Capital and small letters count as the same, as in Tercom and by default in sacrebleu:
"hello" for "Hello" is no edit. `case_sensitive` counts it.

With `reference_kind=targeted` each reference is the text itself, corrected by a person
with as few changes as possible. Then this is HTER, the effort needed to correct the
text; the corrections of other texts, of the same prompt too, play no part in it.

With several references:

- `aggregate=max`, the default: the smallest TER, that of the closest reference (eq. 1
  of ARGENT).
- `aggregate=mean`: the mean of the TER for each reference.
- `aggregate=joint`: TER's own way: the smallest number of edits divided by the mean
  length of the references.

Where a reference does not begin with the prefix, the text is compared without its
prefix. An empty text has 100: all words must be inserted. NaN, with a reason, where
there is no reference.

The search is fast for a text that is close to its reference. If they have little in
common, a text of 100 words takes a second or two, one of 400 words takes ten.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import kinds, sacrebleu
from scoring.metrics._references.several import ByReference, aggregate_option


@dataclasses.dataclass(frozen=True)
class Counting:
    """How words are told apart."""

    normalized: bool = option(
        False,
        "separate punctuation from words, as Tercom does",
        label="Separate punctuation from words",
    )
    no_punct: bool = option(False, "leave out punctuation", label="Ignore punctuation")
    asian_support: bool = option(
        False,
        "split Chinese and Japanese into characters (if punctuation is separated), and"
        " leave out their punctuation too (if it is ignored)",
        label="Split Chinese and Japanese characters",
    )
    case_sensitive: bool = option(
        False,
        "treat A and a as different; by default, as in Tercom, a text that only changes"
        " case has 0 edits, in HTER too",
        label="Case matters",
    )

    def check(self) -> None:
        """Raise OptionError where the values do not go together."""
        if self.asian_support and not (self.normalized or self.no_punct):
            raise OptionError(
                "asian_support has no effect without normalized or no_punct: choose one"
                " of them too"
            )

    def library(self) -> Any:
        """What sacrebleu makes of the options."""
        from sacrebleu.metrics.ter import TER as Library

        found = Library(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        return sacrebleu.with_words_apart(found)


@dataclasses.dataclass(frozen=True)
class Options(Counting):
    """Everything that changes the number."""

    aggregate: str = aggregate_option(
        ", or divide the fewest edits by the mean length of the references (joint)",
        [(sacrebleu.JOINT, "fewest edits over mean length")],
    )
    reference_kind: str = kinds.kind_option()


class TER(ByReference, Metric):
    """How many edits would turn the text into a reference."""

    title = "TER"
    source = "Snover et al. (2006), as in sacrebleu"
    link = "https://aclanthology.org/2006.amta-papers.25"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "edits per 100 words of the reference, [0, inf)"
        return (Output("ter", "Translation edit rate", unit, False),)

    def check(self) -> None:
        self.options.check()

    def load(self, device: str = "cpu") -> Scorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If the options cannot be combined.
        """
        self.check()
        scorer = sacrebleu.scorer(
            self.signature(**sacrebleu.contents()),
            "ter",
            self.options.library(),
            aggregate=self.options.aggregate,
            higher_is_better=False,
        )
        return kinds.choosing(scorer, self.options.reference_kind)
