from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotation.models.kinds import HasKinds, facts_of

ALL = 100  # percent
NOT_IN_PART = (
    "Only pages of ratings can ask for a random part of the texts. Have 100 % of them"
    " rated, or choose pages of ratings only."
)


class RatedPart(HasKinds):
    """How many of a study's texts people rate, drawn at random: all, or a part."""

    class ShareOf(models.TextChoices):
        """What the share is taken of."""

        SYSTEM = "system", "the texts of each system"
        TEXTS = "simple", "all texts together"

    rated_share = models.PositiveSmallIntegerField(
        default=ALL, validators=[MinValueValidator(1), MaxValueValidator(ALL)]
    )
    share_of = models.CharField(max_length=6, choices=ShareOf, default=ShareOf.SYSTEM)

    class Meta:
        abstract = True

    def clean(self) -> None:
        super().clean()
        if reason := self.why_no_part(self.page_kinds):
            raise ValidationError(reason)

    @property
    def rates_part(self) -> bool:
        return self.rated_share < ALL

    def why_no_part(self, page_kinds: Iterable[str]) -> str:
        """Why pages of these kinds cannot ask for the part; empty where they can."""
        alone = all(kind.rates_single_texts for kind in facts_of(page_kinds))
        return NOT_IN_PART if self.rates_part and not alone else ""
