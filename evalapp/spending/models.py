from __future__ import annotations

from django.db import models


class Budget(models.Model):
    """What was spent for one purpose in one scope, a study or a month.

    Whole numbers: mails, or millionths of a currency, which is part of the purpose.
    """

    purpose = models.CharField(max_length=80)  # "mail", "prolific GBP", "judge lab USD"
    scope = models.CharField(max_length=40)  # "study 12", "2026-11"
    spent = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["id"]
        permissions = [("spend", "Can spend the site’s money and send its email")]
        constraints = [
            models.UniqueConstraint(
                fields=["purpose", "scope"], name="one_budget_of_a_purpose_and_scope"
            )
        ]

    def __str__(self) -> str:
        return f"{self.purpose}, {self.scope}"
