from __future__ import annotations

from django.db import models

from annotation.models import Generation
from scoring.models.runs import Signature


class MetricReading(models.Model):
    """One text in which a metric looked for errors, and those that it marked.

    The words of a mark are those of the stored text. They are compared with it at each
    reading: a mark on other words is none.
    """

    NAMED = ("text with marks of a metric", "texts with marks of metrics")

    generation = models.ForeignKey(
        Generation, models.CASCADE, related_name="metric_readings"
    )
    metric = models.CharField(max_length=100)  # of a run: digest of its signature
    signature = models.ForeignKey(  # NULL: the marks come from a file
        Signature,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="metric_readings",
    )
    # [start, end, category, severity, side, words] of each; code points.
    marks = models.JSONField(default=list)
    # Errors whose place is not known, [code, words] of each: see `metrics.Unplaced`.
    unplaced = models.JSONField(default=list)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["generation", "metric"], name="one_reading_per_text_and_metric"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric}: {len(self.marks)} marks"
