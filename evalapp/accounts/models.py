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


class Identity(models.Model):
    """Who an account belongs to at the institution. From then on it follows it."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="identity"
    )
    issuer = models.CharField(max_length=500)
    # The provider gives it to nobody else, unlike a name or an e-mail address.
    subject = models.CharField(max_length=255)
    # Then it ends with the group. What was granted by hand stays.
    staff_by_group = models.BooleanField(default=False)
    spends_by_group = models.BooleanField(default=False)
    seen_at = models.DateTimeField()
    # Since when the institution's groups let them in no more. The account is not active
    # then, and becomes so again with the group: one closed by hand does not.
    refused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(
                fields=["issuer", "subject"], name="one_account_per_subject"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"

    @property
    def is_current(self) -> bool:
        """Whether people log in at that institution now: not at a former one, or at
        none, where nobody could say that they have left."""
        now = settings.INSTITUTION
        return now is not None and bool(self.issuer == now.url)
