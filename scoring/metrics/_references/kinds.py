"""Which references a metric reads: those written for the prompt, or a text's own.

A prewritten reference is one right answer to a prompt, and every text of the prompt is
compared with it. A targeted one is the text itself, corrected by a person with as few
changes as possible (section 2 of ARGENT; HTER in Snover et al. 2006). It is right for
this text alone: compared with the corrections of another text, a text would be blamed
for being another one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from scoring.metrics._engine.base import Example, Progress, Scorer, Scores, option

PREWRITTEN, TARGETED, ALL = KINDS = ("prewritten", "targeted", "all")
OPTION = "reference_kind"
# What metrics say where an example has no reference at all, and what to say instead.
NONE_THERE = frozenset({"there is no reference", "there are no references"})
NOT_OF_KIND = {
    TARGETED: "nobody has corrected this text",
    ALL: "there is no reference, and nobody has corrected this text",
}


def kind_option() -> Any:
    """The option `reference_kind`. Its default gives the scores of earlier versions."""
    return option(
        PREWRITTEN,
        "which references to compare a text with: those written for its prompt, the"
        " text's own corrections, made by people (HTER, if the metric is TER), or both",
        KINDS,
        label="References",
        titles=("written for the prompt", "the text's own corrections", "both"),
        late=True,
    )


def chosen(example: Example, kind: str) -> Example:
    """The example with the references of one kind only.

    >>> one = Example("It leave.", references=("It left.",), targeted=("It leaves.",))
    >>> chosen(one, "targeted").references
    ('It leaves.',)
    """
    if kind == PREWRITTEN:
        return example
    own = example.references if kind == ALL else ()
    return dataclasses.replace(example, references=(*own, *example.targeted))


def reason(said: str, kind: str) -> str:
    """Why a text has no score, by the kind of reference that it lacks."""
    return NOT_OF_KIND.get(kind, said) if said in NONE_THERE else said


def choosing(scorer: Scorer, kind: str) -> Scorer:
    """A scorer that sees only references of this kind."""
    return scorer if kind == PREWRITTEN else Choosing(scorer, kind)


class Choosing:
    """Chooses the references of each text for another scorer."""

    def __init__(self, scorer: Scorer, kind: str) -> None:
        self.signature = scorer.signature
        self._scorer, self._kind = scorer, kind

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        found = self._scorer([chosen(one, self._kind) for one in examples], progress)
        reasons = {
            key: [one and reason(one, self._kind) for one in column]
            for key, column in found.reasons.items()
        }
        return found._replace(reasons=reasons)
