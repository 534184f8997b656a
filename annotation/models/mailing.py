from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models.studies import Study
from annotation.models.surveys import Invite
from evalapp.navigation import address
from evalapp.work import queues
from evalapp.work.models import Leased, waits_on


class RecipientQuerySet(models.QuerySet["Recipient"]):
    def forget(self, **also: Any) -> int:
        """Blank who they are, and what mail servers said of them, in a transaction."""
        Mail.objects.filter(recipient__in=self).exclude(error="").update(error="")
        return self.update(name="", address="", **also)


class Recipient(models.Model):
    """Someone whom a researcher invites by email."""

    NAMED = ("email address", "email addresses")

    study = models.ForeignKey(Study, models.CASCADE, related_name="recipients")
    name = models.CharField(max_length=200, blank=True)
    address = models.EmailField(blank=True)  # empty once it is deleted
    # A keyed hash of the address, different in each study: whoever does not want to be
    # written to is known by it when the address is entered again.
    digest = models.CharField(max_length=64)
    invite = models.OneToOneField(
        Invite, models.SET_NULL, null=True, blank=True, related_name="recipient"
    )
    refused_at = models.DateTimeField(null=True, blank=True)

    objects = RecipientQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "digest"], name="one_recipient_per_address"
            )
        ]

    def __str__(self) -> str:
        return f"recipient {self.pk}"


class Mailing(Leased):
    """One text to many people. A worker of the queue sends it."""

    TASK = "annotation.mailing.tasks.send_mailing"
    KIND = "mailing"

    study = models.ForeignKey(Study, models.CASCADE, related_name="mailings")
    subject = models.CharField(max_length=150)
    body = models.TextField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )  # who sends it
    made_at = models.DateTimeField()
    queue = waits_on(queues.MAIL)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_mailings")
        ]

    def __str__(self) -> str:
        return f"mailing {self.pk}"

    def on_behalf(self) -> tuple[Any, Study]:
        return self.user, self.study

    def in_words(self) -> str:
        return f"emails of {self.study}"

    def get_absolute_url(self) -> str:
        return address("study_mailing", self.study.name)


class Mail(models.Model):
    """One of them. It leaves WAITING once, before it is sent, so it is sent once."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending", "outcome unknown"
        SENT = "sent"
        FAILED = "failed", "not sent"

    mailing = models.ForeignKey(Mailing, models.CASCADE, related_name="mails")
    recipient = models.ForeignKey(Recipient, models.CASCADE, related_name="mails")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["mailing", "recipient"], name="one_mail_of_a_mailing"
            )
        ]

    def __str__(self) -> str:
        return f"mail {self.pk}"
