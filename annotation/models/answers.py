from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.aspects import Aspect
from annotation.models.policies import Policy
from annotation.models.surveys import Item, Negative, Pair, Seat
from annotation.models.texts import Generation, Import

JUDGED = ("generation", "negative", "pair", "decoy")


def _only(name: str) -> Q:
    return Q(**{f"{one}__isnull": one != name for one in JUDGED})


class Annotation(models.Model):
    """One answer on an aspect, from a seat or a file.

    A rating of a generation or a negative; of a pair, which of its texts is better. A
    rating of a decoy, an undamaged turn of a damaged dialogue, is kept and never used.
    """

    NAMED = ("rating", "ratings")

    seat = models.ForeignKey(
        Seat, models.CASCADE, null=True, blank=True, related_name="annotations"
    )
    item = models.ForeignKey(Item, models.PROTECT, null=True, blank=True)
    imported = models.ForeignKey(
        Import, models.CASCADE, null=True, blank=True, related_name="annotations"
    )
    rater = models.CharField(max_length=128, blank=True)  # as named in the file
    generation = models.ForeignKey(
        Generation,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="annotations",
    )
    negative = models.ForeignKey(
        Negative, models.PROTECT, null=True, blank=True, related_name="annotations"
    )
    pair = models.ForeignKey(
        Pair, models.PROTECT, null=True, blank=True, related_name="annotations"
    )
    decoy = models.ForeignKey(
        Generation, models.PROTECT, null=True, blank=True, related_name="+"
    )
    aspect = models.ForeignKey(Aspect, models.PROTECT, related_name="annotations")
    # NULL: the worker could not say. An answer, but no rating.
    value = models.PositiveSmallIntegerField(null=True, blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "item", "aspect"],
                name="one_answer_per_seat_item_and_aspect",
            ),
            models.UniqueConstraint(
                fields=["generation", "aspect", "rater"],
                condition=Q(imported__isnull=False) & ~Q(rater=""),
                name="one_imported_answer_per_rater",
            ),
            models.CheckConstraint(
                condition=Q(seat__isnull=False, item__isnull=False, imported=None)
                | Q(seat=None, item=None, imported__isnull=False),
                name="annotation_from_seat_or_import",
            ),
            models.CheckConstraint(
                condition=_only("generation")
                | _only("negative")
                | _only("pair")
                | _only("decoy"),
                name="annotation_of_generation_negative_pair_or_decoy",
            ),
            # The question's own scale is narrower and is checked where answers enter.
            models.CheckConstraint(
                condition=Q(value__range=(0, 100)) | Q(value=None),
                name="annotation_on_a_scale",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {'cannot say' if self.value is None else self.value}"


class ImportedMean(models.Model):
    """A human score that came as a mean, without the ratings behind it."""

    NAMED = ("imported mean", "imported means")

    imported = models.ForeignKey(Import, models.CASCADE, related_name="means")
    generation = models.ForeignKey(Generation, models.CASCADE, related_name="means")
    aspect = models.ForeignKey(Aspect, models.PROTECT, related_name="means")
    mean = models.FloatField()
    n = models.PositiveIntegerField(null=True, blank=True)  # ratings behind it

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["generation", "aspect"], name="one_mean_per_text_and_aspect"
            )
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.mean}"


class Verdict(models.Model):
    """What a policy says of a submission. Appended, never edited."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="verdicts")
    policy = models.ForeignKey(Policy, models.PROTECT, related_name="verdicts")
    valid = models.BooleanField()
    reason = models.TextField(blank=True)  # several sentences at times
    numbers = models.JSONField(default=dict)  # what was compared, to check by hand
    judged_at = models.DateTimeField()
    # Who excluded the worker or took them in again; NULL where the policy judged.
    judged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return "valid" if self.valid else f"discarded: {self.reason}"
