from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.kinds.spans.marks import SOURCE, TEXT, Placed
from annotation.kinds.spans.scheme import LONGEST_NAME
from annotation.models import Generation, Study
from annotation.models.surveys import Item, Seat
from scoring.stats.spans.marks import Mark, Side


class SpanScheme(models.Model):
    """What can be marked in the texts of a study: see `scheme.Scheme`."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="span_scheme")
    preset = models.CharField(max_length=8, blank=True)  # empty: a list of its own
    scheme = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"marks of {self.study}"


class TextProposals(models.Model):
    """What a metric proposes to mark in one text, as `marks.as_json` has it."""

    generation = models.OneToOneField(
        Generation, models.CASCADE, related_name="span_proposals"
    )
    metric = models.CharField(max_length=100)  # what tables call it
    marks = models.JSONField(default=list)

    class Meta:
        verbose_name_plural = "text proposals"

    def __str__(self) -> str:
        return f"proposals in {self.generation}"


class Fate(models.TextChoices):
    """What a worker did with a proposed mark, or that nobody had proposed it."""

    KEPT = "kept", "kept"
    CHANGED = "changed", "changed"
    ADDED = "added", "added"


class SpanMark(models.Model):
    """A place that one worker marked in a text; or, without a place, that they marked
    nothing in it.

    The words are those of the stored text. They are compared with it at each reading:
    a mark on other words is none.
    """

    NAMED = ("mark", "marks")

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="span_marks")
    item = models.ForeignKey(Item, models.PROTECT, related_name="span_marks")
    number = models.PositiveSmallIntegerField()  # 1, 2, ... in its text; 0: nothing
    side = models.CharField(max_length=6, default="text")
    start = models.PositiveIntegerField(null=True, blank=True)  # code points
    end = models.PositiveIntegerField(null=True, blank=True)
    category = models.CharField(max_length=LONGEST_NAME, blank=True)
    severity = models.CharField(max_length=LONGEST_NAME, blank=True)
    words = models.TextField(blank=True)
    # Where marks are proposed: the number of that which this one began as, 0 for none,
    # and what became of it.
    proposal = models.PositiveSmallIntegerField(default=0)
    fate = models.CharField(max_length=7, choices=Fate, blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "item", "number"], name="one_mark_per_number"
            ),
            models.CheckConstraint(
                condition=Q(start=None, end=None, number=0)
                | Q(start__isnull=False, end__gte=F("start"), number__gt=0),
                name="mark_has_a_place_or_is_none",
            ),
        ]

    def __str__(self) -> str:
        return f"mark {self.number} on {self.item}"

    @property
    def placed(self) -> Placed | None:
        """None: nothing was marked."""
        if self.start is None or self.end is None:
            return None
        side: Side = SOURCE if self.side == SOURCE else TEXT
        mark = Mark(self.start, self.end, self.category, self.severity, side)
        return Placed(mark, self.words, self.proposal)


class DroppedProposal(models.Model):
    """A proposed mark that one worker deleted."""

    NAMED = ("deleted proposal", "deleted proposals")

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="dropped_proposals")
    item = models.ForeignKey(Item, models.PROTECT, related_name="dropped_proposals")
    number = models.PositiveSmallIntegerField()  # of the proposal in its text, from 1
    side = models.CharField(max_length=6, default="text")
    start = models.PositiveIntegerField()  # code points
    end = models.PositiveIntegerField()
    category = models.CharField(max_length=LONGEST_NAME, blank=True)
    severity = models.CharField(max_length=LONGEST_NAME, blank=True)
    words = models.TextField(blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "item", "number"],
                name="one_dropped_proposal_per_number",
            )
        ]

    def __str__(self) -> str:
        return f"deleted proposal {self.number} on {self.item}"
