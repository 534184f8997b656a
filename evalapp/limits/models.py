"""How often something has happened lately, the same for all processes of the site."""

from __future__ import annotations

from django.db import models


class Count(models.Model):
    """A counter that ends. Not in a cache: those of several processes count apart, or
    lose what two count at one moment."""

    key = models.CharField(max_length=100, unique=True)
    n = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.key


class Sent(models.Model):
    """A request that is carried out once, and what came of it. See `once`."""

    key = models.CharField(max_length=64, unique=True)  # a keyed hash of all of it
    at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)  # NULL: nobody knows
    location = models.TextField(blank=True)
    body = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.key[:8]
