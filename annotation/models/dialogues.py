"""Conversations as turns. The texts that people rate of them are generations."""

from __future__ import annotations

from django.db import models

from annotation.models.studies import Study
from annotation.turns import Turn, turns_of


class Dialogue(models.Model):
    """A conversation. A marked turn is a generation, and so is the whole of it.

    The generation of a turn has its number, from 0, and a prompt whose source is the
    turns before it. That of the whole has no number, and no source.
    """

    NAMED = ("dialogue", "dialogues")

    study = models.ForeignKey(Study, models.CASCADE, related_name="dialogues")
    key = models.CharField(max_length=64)  # that of the generation of the whole
    messages = models.JSONField()  # [{"role": "user", "text": "Hi!"}, ...]
    imported = models.ForeignKey(
        "annotation.Import",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="dialogues",
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], name="one_dialogue_per_key"
            )
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def turns(self) -> list[Turn]:
        return turns_of(self.messages)
