from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models

from annotation.models import Study

# Names of licences as dataset hubs know them: "cc-by-4.0".
LICENCE = RegexValidator(
    r"\A[A-Za-z0-9][A-Za-z0-9.+-]*\Z",
    "Enter the short name of a licence, such as cc-by-4.0.",
)


class Publication(models.Model):
    """What only people know of a study that is published as a data set."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="publication")
    licence = models.CharField(
        max_length=60,
        blank=True,
        validators=[LICENCE],
        help_text="Of the texts and ratings, such as cc-by-4.0. Leave empty if you"
        " have not decided.",
    )
    authors = models.TextField(
        blank=True,
        max_length=2000,
        help_text="One person or team in each line.",
    )
    affiliation = models.CharField(max_length=200, blank=True)
    paper = models.URLField("address of the paper", blank=True)
    ethics = models.CharField(
        "ethical approval",
        max_length=500,
        blank=True,
        help_text="Which committee approved the study, or that none did.",
    )
    # Digests of the consent texts that allow single ratings to be published, and
    # `permission.FILES` for ratings that came in files.
    consents = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"publication of {self.study}"

    @property
    def people(self) -> list[str]:
        return [line.strip() for line in self.authors.splitlines() if line.strip()]
