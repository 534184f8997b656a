from __future__ import annotations

from typing import Any

from django.db import models

from annotation.models.studies import Study


class CopyCheck(models.Model):
    """How the answers of a study's workers stand to those of its judges.

    `scoring` works it out, and knows when: see `annotation.watching.copying`.
    """

    study = models.OneToOneField(Study, models.CASCADE, related_name="copy_check")
    # Of what the result was made; empty: there is none yet.
    stamp = models.CharField(max_length=300, blank=True)
    asked_at = models.DateTimeField()  # when someone last began to work it out
    # By the id of the worker; see `watching.copying.Held`.
    held: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"copy check of {self.study_id}"
