from __future__ import annotations

from django.db import models

from annotation.models import Generation


class MetricReading(models.Model):
    """One text in which a metric looked for errors, and those that it marked.

    The words of a mark are those of the stored text. They are compared with it at each
    reading: a mark on other words is none.
    """

    NAMED = ("text with marks of a metric", "texts with marks of metrics")

    generation = models.ForeignKey(
        Generation, models.CASCADE, related_name="metric_readings"
    )
    metric = models.CharField(max_length=100)
    # [start, end, category, severity, side, words] of each; code points.
    marks = models.JSONField(default=list)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["generation", "metric"], name="one_reading_per_text_and_metric"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric}: {len(self.marks)} marks"
