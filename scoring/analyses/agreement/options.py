"""What the parts of the analysis of agreement share: its options, and signatures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from scoring.analyses.shared.setting import filtered
from scoring.stats import agreement, jackknife, signature
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Data, Filters
from scoring.stats.estimates import Estimate
from scoring.stats.option import option

LEVELS: tuple[agreement.Level, ...] = ("ordinal", "interval", "nominal")
OWN = "own"  # each aspect has the level that its question says
CHOICES = ((OWN, "as each question says"), *((level, level) for level in LEVELS))


@dataclass(frozen=True)
class Options(Filters):
    """Which ratings, and how agreement is measured."""

    level: str = option(OWN, "Level of measurement", choices=CHOICES)
    resample: str = option(
        "prompts",
        "Intervals for new",
        choices=(("prompts", "prompts"), ("samples", "single texts")),
        help="The units that are left out in turn",
    )
    aspect: str = option(
        "", "Workers compared on", of="aspects", none="all aspects together"
    )
    coefficient: CoefficientName = option(
        "pearson", "Workers' correlation", of="coefficients"
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """The data that the options leave, and how its numbers are signed."""

    data: Data
    options: Options

    def signed(self, statistic: str, aspect: str, **parts: signature.Part) -> str:
        """The signature of a number without an interval."""
        common: dict[str, signature.Part] = filtered(self.options, self.data.policy)
        return signature.text(statistic, **{"aspect": aspect, **common, **parts})

    def drawn(self, statistic: str, aspect: str, **parts: signature.Part) -> str:
        """The signature of a number with an interval."""
        made: dict[str, signature.Part] = {
            "interval": "jackknife-t",
            "unit": self.options.resample,
            "seed": self.options.seed,
        }
        return self.signed(statistic, aspect, **{**made, **parts})

    def level(self, place: int) -> agreement.Level:
        """Of one aspect: what the options say, or the question."""
        if self.options.level == OWN:
            return self.data.aspects[place].level
        return cast(agreement.Level, self.options.level)

    @property
    def levels(self) -> list[agreement.Level]:
        return [self.level(place) for place in range(len(self.data.aspects))]

    def level_of(self, key: str) -> agreement.Level:
        """Of an aspect; of all together that of the first."""
        keys = [aspect.key for aspect in self.data.aspects]
        return self.level(keys.index(key) if key in keys else 0)

    @property
    def apart(self) -> str:
        """Why ratings of all aspects cannot be taken together; empty if they can."""
        places = range(len(self.data.aspects))
        ends = {self.data.ends_of(place) for place in places}
        if len(ends) > 1 or any(high is None for _, high in ends):
            return "the aspects have different scales: see within each"
        if len(set(self.levels)) > 1:
            return "the aspects have different levels of measurement: see within each"
        return ""

    def over(self, found: Estimate) -> Estimate:
        """An interval with what it is over in its reason."""
        texts = self.options.resample != "prompts"
        return jackknife.over(found, "texts") if texts else found

    def units(self, text: np.ndarray) -> np.ndarray:
        """What is drawn whole: prompts, or texts with all that was said of them."""
        if self.options.resample == "prompts":
            return self.data.texts.prompt[text]
        return text
