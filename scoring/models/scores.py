from __future__ import annotations

from django.db import models

from annotation.models import Generation, Negative, System
from scoring.models.runs import Signature

# What makes a score the only one of its kind: a second one replaces it.
OF_TEXT = ("signature", "generation", "output")
OF_SYSTEM = ("signature", "system", "output", "seed")
OF_NEGATIVE = ("signature", "negative", "output")


class Score(models.Model):
    """One number of a metric for one text; NULL with a reason where undefined."""

    NAMED = ("score of a metric", "scores of metrics")

    KEY = OF_TEXT

    signature = models.ForeignKey(Signature, models.CASCADE, related_name="scores")
    generation = models.ForeignKey(Generation, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    # Digest of the corrections of the text that it was computed with; empty: none, or
    # the metric reads none.
    corrections = models.CharField(max_length=16, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=OF_TEXT,
                name="one_score_per_signature_text_and_output",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class SystemScore(models.Model):
    """One number of a metric for all texts of a system."""

    KEY = OF_SYSTEM

    signature = models.ForeignKey(
        Signature, models.CASCADE, related_name="system_scores"
    )
    system = models.ForeignKey(System, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    seed = models.PositiveIntegerField(default=0)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    corrections = models.CharField(max_length=16, blank=True)  # of all its texts

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=OF_SYSTEM,
                name="one_score_per_signature_system_output_and_seed",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class NegativeScore(models.Model):
    """One number of a metric for one damaged text; NULL with a reason where undefined.

    Apart from `Score`: no statistic on texts may ever count a negative in.
    """

    KEY = OF_NEGATIVE

    signature = models.ForeignKey(
        Signature, models.CASCADE, related_name="negative_scores"
    )
    negative = models.ForeignKey(Negative, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=OF_NEGATIVE,
                name="one_score_per_signature_negative_and_output",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"
