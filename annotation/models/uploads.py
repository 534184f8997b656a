from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models.studies import Study
from annotation.models.texts import Import
from evalapp.work.models import Leased


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
    # Of the names of its columns, so that a recipe for them is proposed.
    columns = models.CharField(max_length=64, blank=True, editable=False)
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


class Recipe(models.Model):
    """What somebody has chosen about a file, to be used again: see `imports`."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="recipes"
    )
    name = models.CharField(max_length=60)
    columns = models.CharField(max_length=64)  # as of an upload
    content = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="one_recipe_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class Importing(Leased):
    """A worker checks or imports a file that takes longer than anyone waits."""

    TASK = "annotation.assistant.tasks.import_upload"
    KIND = "import"
    REMEDY = "Split the file."

    upload = models.OneToOneField(Upload, models.CASCADE, related_name="importing")
    writes = models.BooleanField(default=False)  # else it checks only
    # Bytes that were read; to write doubles the total, as storing takes as long.
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)  # this attempt

    class Meta:
        indexes = [
            models.Index(fields=["state", "lease_until"], name="imports_to_reap")
        ]

    def __str__(self) -> str:
        return f"import of upload {self.upload_id}"

    def on_behalf(self) -> tuple[Any, Study] | None:
        return (self.upload.user, self.upload.study) if self.upload.study else None

    def in_words(self) -> str:
        return f"import of {self.upload}"

    def get_absolute_url(self) -> str:
        return self.upload.get_absolute_url()


class Storing(models.Model):
    """The rows of a file are being stored in pieces: there is a row only meanwhile.

    Until the last piece is in and this row is gone, nobody sees the study. Whoever
    holds `token` stores; once `until` has passed, it counts as dead, and whatever it
    has stored is removed. A finished import is taken back likewise.
    """

    study = models.OneToOneField(Study, models.CASCADE, related_name="storing")
    record = models.OneToOneField(Import, models.CASCADE, related_name="+")
    upload = models.ForeignKey(
        Upload, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    makes_study = models.BooleanField()  # else the file is added to one
    # The import is finished, and taken back: what it has stored is removed.
    undoes = models.BooleanField(default=False)
    # The last row of each table before: what stands behind it goes if this fails.
    before: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(
        default=dict
    )
    token = models.UUIDField(default=uuid.uuid4)
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"storing of {self.record_id}"
