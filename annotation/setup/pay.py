"""What a page pays per hour, and whether that is fair."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from annotation.models import Study
from annotation.surveys import estimating


class Floor(NamedTuple):
    """Pay per hour: at least, and as recommended."""

    minimum: Decimal
    recommended: Decimal


# Prolific's payment principles: at least 8 USD (6 GBP) per hour, 12 USD (9 GBP)
# recommended. No other large platform states figures; other currencies have none.
# https://researcher-help.prolific.com/hc/en-gb/articles/4407695146002
FLOORS = {
    "USD": Floor(Decimal(8), Decimal(12)),
    "GBP": Floor(Decimal(6), Decimal(9)),
}


class Pay(NamedTuple):
    """The pay of a page, and what comes of it in an hour."""

    per_page: Decimal
    currency: str
    minutes: int  # of a page: stated, or estimated from its texts
    stated: bool
    per_hour: Decimal
    floor: Floor | None

    @property
    def too_low(self) -> bool:
        return self.floor is not None and self.per_hour < self.floor.minimum

    @property
    def modest(self) -> bool:
        """Allowed, but below what is recommended."""
        fair = self.floor is None or self.per_hour >= self.floor.recommended
        return not fair and not self.too_low

    @property
    def sentence(self) -> str:
        said = "you expect" if self.stated else "estimated from the texts"
        unit = "minute" if self.minutes == 1 else "minutes"
        return (
            f"{self.per_page:.2f} {self.currency} per page is about"
            f" {self.per_hour:.2f} {self.currency} per hour, at {self.minutes} {unit}"
            f" per page ({said})."
        )

    @property
    def warning(self) -> str:
        """What to say about the floor; empty where it is kept or there is none."""
        if self.floor is None or not (self.too_low or self.modest):
            return ""
        least, fair = (f"{one} {self.currency} per hour" for one in self.floor)
        if self.too_low:
            return f"This is below {least}, the least that Prolific allows."
        return (
            f"This is below {fair}, which Prolific recommends ({least} is the least)."
        )


def pay(*, study: Study) -> Pay | None:
    """None where pages are not paid here, or there are no texts to estimate from."""
    minutes = estimating.expected_minutes(study)
    if not study.pay_per_page or minutes is None:
        return None
    return Pay(
        per_page=study.pay_per_page,
        currency=study.currency,
        minutes=minutes,
        stated=study.minutes_per_page is not None,
        per_hour=study.pay_per_page * 60 / minutes,
        floor=FLOORS.get(study.currency),
    )
