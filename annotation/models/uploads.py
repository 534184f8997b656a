from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models.studies import Study
from evalapp.queue.models import Leased


class Upload(models.Model):
    """A file that waits until its researcher has said what its columns mean.

    It is kept in a private folder under a name of its own, for a day at most.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    study = models.ForeignKey(
        Study, models.CASCADE, null=True, blank=True, related_name="uploads"
    )  # that it is added to; none: it makes a new one
    file_name = models.CharField(max_length=255)  # as its researcher calls it
    size = models.PositiveBigIntegerField()
    # What was chosen so far: see `assistant.choices`.
    choices: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        default=dict
    )
    # What was found with these choices; none: it is not known yet.
    report: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = (
        models.JSONField(null=True, blank=True)
    )
    made = models.ForeignKey(
        Study, models.SET_NULL, null=True, blank=True, related_name="+"
    )  # once it is imported
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("upload", args=[self.public_id])


class Importing(Leased):
    """A worker checks or imports a file that takes longer than anybody waits."""

    TASK = "annotation.assistant.tasks.import_upload"
    KIND = "import"
    REMEDY = "Split the file."

    upload = models.OneToOneField(Upload, models.CASCADE, related_name="importing")
    writes = models.BooleanField(default=False)  # else it checks only
    done = models.PositiveBigIntegerField(default=0)  # bytes that were read
    total = models.PositiveBigIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)  # this attempt

    class Meta:
        indexes = [
            models.Index(fields=["state", "lease_until"], name="imports_to_reap")
        ]

    def __str__(self) -> str:
        return f"import of upload {self.upload_id}"
