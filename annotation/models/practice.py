from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotation.models.studies import Study
from annotation.models.surveys import Worker


class Practice(models.Model):
    """A page to try the task on, with feedback, before the first real page."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="practice")
    prefix = models.TextField(blank=True)
    source = models.TextField(blank=True)
    label = models.CharField(max_length=100, blank=True)
    attempts = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )

    def __str__(self) -> str:
        return f"practice of {self.study}"


class PracticeText(models.Model):
    """A text on the practice page and what a careful reader would answer."""

    practice = models.ForeignKey(Practice, models.CASCADE, related_name="texts")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    # By what is asked, as the `PracticeTask` of the kind says: of a question the lowest
    # and the highest answer that passes. What is left out is free.
    expected = models.JSONField(default=dict)
    why = models.TextField(blank=True)  # the feedback

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["practice", "position"], name="one_practice_text_per_position"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]


class PracticeTry(models.Model):
    """One worker's answers to the practice page."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="tries")
    number = models.PositiveSmallIntegerField()  # 1, 2, ...
    answers = models.JSONField()  # "position-name" -> what was said
    passed = models.BooleanField()
    tried_at = models.DateTimeField()

    class Meta:
        ordering = ["worker", "number"]
        verbose_name_plural = "practice tries"
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "number"], name="one_practice_try_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"try {self.number} of {self.worker}"
