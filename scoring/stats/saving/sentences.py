"""What to do about ratings that a metric may save, in one sentence.

The first words say what to do, to somebody who does not know what an interval is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats.saving.correcting import LEAST_PROMPTS
from scoring.stats.saving.refusing import DIFFERS

LEAST = 0.02  # of the ratings: less is nothing worth saying
MUCH = 0.1  # of what is saved: by chance, which is worth a sentence
NOBODY = (
    "Ask people to rate these texts first: nobody has rated them on this aspect yet."
)
UNSCORED = (
    "Score these texts with a metric first: only a metric that has scored all of them"
    " can save ratings."
)


class Facts(NamedTuple):
    """What the sentence is made of."""

    kind: str  # as in the result
    metric: str  # the one that helps; "" = none has scored these texts
    saved: float  # share of the ratings, NaN = not known
    ratings: int
    share: int  # percent of the texts that is tried
    prompts: int  # with a rating; in each draw if tried
    refused: str
    reason: str  # why nothing is known of what is saved
    all_prompts: int = 0  # with a rated text, in or out of the draws
    asked: bool = False  # over the network, which may cost money
    metrics: int = 1  # that this one is the best of; 1 = it was chosen before
    texts: int = 0  # rated ones that the metrics are compared on; 0 = very many

    @property
    def chosen(self) -> float:
        """What the best of m metrics seems to save more than one, by chance."""
        return float(2 * np.log(self.metrics) / self.texts) if self.texts else 0.0

    @property
    def helps(self) -> bool:
        """Whether it saves more than the best of so many useless metrics might.

        A useless metric fits n ratings by chance with r^2 of about 1 / n, the best of m
        with 2 ln(m) / n more.
        """
        alone = 1 / self.texts if self.texts else 0.0
        return self.saved >= max(LEAST, alone + self.chosen)


def sentence(facts: Facts) -> str:
    """Say how many ratings of people alone those with the metric are worth."""
    if facts.kind == "nothing":
        return NOBODY
    if not facts.metric:
        return UNSCORED
    before = f"{facts.refused}. " if facts.refused else ""
    after = ""
    if facts.helps and facts.chosen > MUCH * facts.saved:
        after = (
            f" It saves the most of {facts.metrics:,} metrics, which makes this look"
            " better than it is: expect less."
        )
    if facts.asked and facts.helps:
        after += (
            " This metric is asked over the network, which may cost money for each"
            " text: compare that with what the ratings cost."
        )
    said = _tried(facts) if facts.kind == "tried" else _drawn(facts)
    return f"{before}{said}{after}"


def _tried(facts: Facts) -> str:
    """All texts are rated: what to do next time."""
    if facts.helps:
        return (
            f"Next time, let {facts.metric} score all texts, and ask people to rate"
            f" only {facts.share} % of them, drawn at random: you then need"
            f" {_n(facts.ratings)}, where people alone would need {_like(facts)}."
        )
    if facts.prompts < LEAST_PROMPTS <= facts.all_prompts:
        return (
            "To see what you can save next time, try a larger share under Options:"
            f" {facts.share} % of the texts cover only {_n(facts.prompts, 'prompt')},"
            f" and a metric needs at least {LEAST_PROMPTS} rated prompts to save"
            " ratings."
        )
    if facts.prompts < LEAST_PROMPTS:
        return (
            "Do not plan for fewer ratings: the rated texts are from only"
            f" {_n(facts.all_prompts, 'prompt')}, and a metric needs at least"
            f" {LEAST_PROMPTS} rated prompts to save ratings."
        )
    if np.isnan(facts.saved) and facts.reason.startswith(DIFFERS):
        return (
            "To see what you can save next time, try a larger share under Options:"
            f" with {facts.share} %, {facts.reason}."
        )
    return f"Do not plan for fewer ratings: {_nothing(facts, 'would be')}."


def _drawn(facts: Facts) -> str:
    """A random part is rated: which means to report."""
    if facts.helps:
        return (
            f"Report the means with {facts.metric} below: your {_n(facts.ratings)} then"
            f" give means as precise as {_like(facts)} would without the metric."
        )
    alone = "Report the means of people alone:"
    if facts.prompts < LEAST_PROMPTS:
        return (
            f"{alone} the rated texts are from only {_n(facts.prompts, 'prompt')}, and"
            f" a metric needs at least {LEAST_PROMPTS} rated prompts to help."
        )
    return f"{alone} {_nothing(facts, 'are')}."


def _nothing(facts: Facts, are: str) -> str:
    if np.isnan(facts.saved):
        return (
            f"it is not known how many ratings a metric saves, because {facts.reason}"
        )
    return f"with {facts.metric}, the means {are} no more certain than without it"


def _like(facts: Facts) -> str:
    """Ratings of people alone, and what is saved of them."""
    like = round(facts.ratings / (1 - facts.saved))
    return f"{like:,} ({facts.saved:.0%} saved)".replace("%", " %")


def _n(n: int, word: str = "rating") -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"
