from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.models.studies import Study
from annotation.models.texts import Import, Prompt, System


class Vote(models.Model):
    """One person's choice between the texts of two systems for one prompt."""

    NAMED = ("vote", "votes")

    class Outcome(models.IntegerChoices):
        TIE = 0
        FIRST = 1
        SECOND = 2

        @property
        def word(self) -> str:
            """As data sets and the API write it."""
            return self.name.lower()

    study = models.ForeignKey(Study, models.CASCADE, related_name="votes")
    imported = models.ForeignKey(Import, models.CASCADE, related_name="votes")
    # What was compared: votes of one pair are drawn together. `prompt` where the file
    # names one of the study.
    pair = models.CharField(max_length=64)
    prompt = models.ForeignKey(Prompt, models.SET_NULL, null=True, blank=True)
    question = models.CharField(max_length=100, blank=True)  # "" = the only one
    first = models.ForeignKey(System, models.PROTECT, related_name="votes_first")
    second = models.ForeignKey(System, models.PROTECT, related_name="votes_second")
    ordered = models.BooleanField(default=True)  # whether `first` was shown first
    rater = models.CharField(max_length=128, blank=True)  # as named in the file
    outcome = models.PositiveSmallIntegerField(choices=Outcome)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(first=F("second")), name="vote_between_two_systems"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=[0, 1, 2]), name="vote_for_one_or_a_tie"
            ),
            models.UniqueConstraint(
                fields=["study", "pair", "question", "first", "second", "rater"],
                condition=~Q(rater=""),
                name="one_vote_per_rater_and_pair",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} or {self.second_id}: {self.get_outcome_display()}"
