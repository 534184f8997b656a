from __future__ import annotations

from django.db import models

from annotation.models import Generation, Negative, System
from scoring.models.runs import Signature


class Score(models.Model):
    """One number of a metric for one text; NULL with a reason where undefined."""

    signature = models.ForeignKey(Signature, models.CASCADE, related_name="scores")
    generation = models.ForeignKey(Generation, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["signature", "generation", "output"],
                name="one_score_per_signature_text_and_output",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class SystemScore(models.Model):
    """One number of a metric for all texts of a system."""

    signature = models.ForeignKey(
        Signature, models.CASCADE, related_name="system_scores"
    )
    system = models.ForeignKey(System, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    seed = models.PositiveIntegerField(default=0)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["signature", "system", "output", "seed"],
                name="one_score_per_signature_system_output_and_seed",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class NegativeScore(models.Model):
    """One number of a metric for one damaged text; NULL with a reason where undefined.

    Apart from `Score`: no statistic on texts may ever count a negative in.
    """

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
                fields=["signature", "negative", "output"],
                name="one_score_per_signature_negative_and_output",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"
