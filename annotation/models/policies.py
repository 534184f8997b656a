from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


class HasPolicies(models.Model):
    """What is judged by versions of a policy: a study."""

    policies: models.Manager[Policy]

    class Meta:
        abstract = True

    def current_policy(self) -> Policy:
        """The newest quality-control policy. One query."""
        return self.policies.order_by("-version")[:1].get()


class Policy(models.Model):
    """A version of a study's quality control. A change is a new row, never an edit."""

    class Rule(models.TextChoices):
        ABOVE_ALL = "above_all", "damaged text above the best real text"
        ABOVE_MEAN = "above_mean", "damaged text above the mean of the real texts"
        ABOVE_ANY = "above_any", "damaged text above the worst real text"

    class On(models.TextChoices):
        HURT = "hurt", "the aspects that the damage should lower"
        MEAN = "mean", "the mean over all aspects"
        CHOSEN = "chosen", "the chosen aspects"
        ANY = "any", "any one aspect"

    study = models.ForeignKey("Study", models.CASCADE, related_name="policies")
    version = models.PositiveSmallIntegerField()
    rule = models.CharField(max_length=10, choices=Rule, default=Rule.ABOVE_ALL)
    on = models.CharField(max_length=6, choices=On, default=On.HURT)
    chosen = models.JSONField(default=list, blank=True)  # aspect keys, for on=chosen
    # Names of the perturbations that damage the texts of pages to come; none: all.
    damages = models.JSONField(default=list, blank=True)
    # The checks below rest when they are NULL or False.
    same_score = models.BooleanField(
        "the same score everywhere",
        default=False,
        help_text="Discard a page on which every answer is the same.",
    )
    same_faster_than = models.FloatField(
        "only if read faster than",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Characters per second. Leave empty for any speed.",
    )
    same_pages = models.PositiveSmallIntegerField(
        "or on this many pages",
        null=True,
        blank=True,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
        help_text="Discard all pages of a worker who gives the same answer everywhere "
        "on this many pages and on more than half of theirs, at any speed.",
    )
    characters_per_second = models.FloatField(
        "fastest reading",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Discard a page that was in view for less time than its texts take "
        "at this many characters per second. Reading is about 20, skimming 43.",
    )
    worker_p = models.FloatField(
        "discard when p exceeds",
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0001), MaxValueValidator(0.5)],
        help_text="Discard a page if its worker does not rate the damaged texts lower "
        "over all their pages: one-sided paired test, p above this.",
    )
    chance_odds = models.FloatField(
        "discard when the odds of random answers exceed",
        null=True,
        blank=True,
        validators=[MinValueValidator(2), MaxValueValidator(1_000_000)],
        help_text="Discard all pages of a worker once their answers are this many "
        "times as likely to be random as to come from reading.",
    )
    with_others = models.BooleanField(
        "also use agreement with other workers",
        default=False,
        help_text="Used where two or more other workers rated the same texts.",
    )
    worker_pages = models.PositiveSmallIntegerField(
        "start testing after (pages)",
        default=5,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
    )
    # Of pages on which texts are corrected.
    edit_untouched = models.BooleanField(
        "the damaged text was not corrected",
        default=True,
        help_text="Discard a page of corrections whose damaged text was left as it is.",
    )
    edit_low = models.FloatField(
        "fewest changed words (%)",
        null=True,
        blank=True,
        validators=[MinValueValidator(0.1), MaxValueValidator(1000)],
        help_text="Flag a page of corrections on which fewer words were changed, for "
        "each 100 words, over its real texts together.",
    )
    edit_high = models.FloatField(
        "most changed words (%)",
        null=True,
        blank=True,
        default=60,
        validators=[MinValueValidator(0.1), MaxValueValidator(1000)],
        help_text="Flag a page of corrections on which more words were changed, for "
        "each 100 words, over its real texts together.",
    )
    edit_discard = models.BooleanField(
        "discard pages outside these limits",
        default=False,
        help_text="Otherwise they count, and the pages of quality control name them.",
    )
    # Of pages on which errors are marked.
    span_share = models.FloatField(
        "least damage that is marked (%)",
        null=True,
        blank=True,
        default=25,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="Discard a page of marked errors on which less of the damage is "
        "marked. Leave empty for no limit.",
    )
    block_after = models.PositiveSmallIntegerField(
        "block after (discarded pages)",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Workers with this many discarded pages get no more pages.",
    )
    block_within = models.PositiveSmallIntegerField(
        "among the last (pages)",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Leave empty to count all their pages.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "version"]
        verbose_name_plural = "policies"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "version"], name="one_policy_per_version"
            )
        ]

    def __str__(self) -> str:
        return f"version {self.version}: {self.get_rule_display()}"

    @property
    def needs_texts(self) -> bool:
        """Whether a check asks how much there is to read."""
        return bool(self.characters_per_second or self.same_faster_than)

    @property
    def looks_back(self) -> bool:
        """Whether a check asks what all pages of a worker say together."""
        asked = (self.worker_p, self.chance_odds, self.same_pages)
        return any(value is not None for value in asked)
