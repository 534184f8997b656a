from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models


class Token(models.Model):
    """Lets a program in as its owner. Only a hash is stored: a copy of the database
    lets nobody in."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens"
    )
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    # A day, not a moment: else each call of the API would write a row.
    used_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    def has_ended(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now
