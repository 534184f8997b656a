"""TER of each text: how much of it must be edited to make it a reference.

Snover et al. (2006), translation edit rate:

    TER = 100 edits / words of the reference, in [0, inf), lower is better.

An edit puts in, takes out or replaces one word, or moves a run of words elsewhere. The
fewest edits are searched as Tercom does, greedily. The numbers are those of
`sentence_score` of sacrebleu's TER, whose version is in the signature. A text longer
than its reference may need more edits than the reference has words.

If a person made the references out of the very texts, by changing as little as
possible until each was right, this is HTER, the effort of putting a text right.

With several references:

- `aggregate=max`, the default: the reference that the text is closest to, which is the
  one with the smallest TER (eq. 1 of ARGENT).
- `aggregate=mean`: the mean of the TER with each.
- `aggregate=joint`: TER's own way, the fewest edits over the mean length of references.

Where a reference does not begin with the prefix, the text is compared without it.
NaN, with a reason, without a reference and for an empty text.

The search is quick for a text that is close to its reference. With one that has little
in common with it, a text of 100 words takes a second or two, one of 400 takes ten.
"""

from __future__ import annotations

import dataclasses

from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import sacrebleu
from scoring.metrics._references.several import AGGREGATE_HELP


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    normalized: bool = option(
        False,
        "separate marks from words, as Tercom does",
        label="Separate punctuation from words",
    )
    no_punct: bool = option(False, "leave out marks", label="Ignore punctuation")
    asian_support: bool = option(
        False,
        "take apart Chinese and Japanese characters (with normalized), leave out their"
        " marks too (with no_punct)",
        label="Split Chinese and Japanese characters",
    )
    case_sensitive: bool = option(
        False, "make a difference between A and a", label="Case matters"
    )
    aggregate: str = option(
        "max",
        f"{AGGREGATE_HELP}, or fewest edits over mean length (joint)",
        sacrebleu.WITH_JOINT,
        label="Several references",
        titles=("best score", "mean of the scores", "edits over mean length"),
    )


class TER(Metric):
    """Edits needed to turn the text into a reference."""

    title = "TER"
    source = "Snover et al. (2006), as in sacrebleu"
    link = "https://aclanthology.org/2006.amta-papers.25"
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "edits per 100 words of the reference, [0, inf)"
        return (Output("ter", "Translation edit rate", unit, False),)

    def check(self) -> None:
        options = self.options
        if options.asian_support and not (options.normalized or options.no_punct):
            raise OptionError(
                "asian_support changes nothing without normalized or no_punct: choose"
                " one of them too"
            )

    def load(self, device: str = "cpu") -> Scorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If the options do not go together.
        """
        from sacrebleu.metrics.ter import TER as Library

        self.check()
        options = self.options
        metric = Library(
            normalized=options.normalized,
            no_punct=options.no_punct,
            asian_support=options.asian_support,
            case_sensitive=options.case_sensitive,
        )
        return sacrebleu.scorer(
            self.signature(**sacrebleu.contents()),
            "ter",
            metric,
            aggregate=options.aggregate,
            higher_is_better=False,
        )
