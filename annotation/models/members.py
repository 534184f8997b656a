from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.studies import Study


class Member(models.Model):
    """Who works on a study, and what they may do there: see `annotation.access`."""

    class Role(models.TextChoices):
        OWNER = "owner"
        EDITOR = "editor"
        VIEWER = "viewer"

    study = models.ForeignKey(Study, models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=6, choices=Role, default=Role.VIEWER)
    # What it was before a group of the institution gave this role: "" for no member.
    # NULL where someone gave it by hand.
    before_group = models.CharField(max_length=6, null=True, editable=False)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "user"], name="one_role_per_study_and_user"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.study}"
