"""Consent and spending in the API of whoever asks a judge over the network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from scoring.judging import estimates
from scoring.judging.forms.limits import MOST_CALLS, MOST_COST
from scoring.judging.ledger import Limit
from scoring.models import MetricRun


class LimitSerializer(serializers.Serializer):
    """Consent to send texts to a judge over the network, and the most to ask for it.

    `cost` is in the currency of the endpoint, and needs prices that the administrator
    has named.
    """

    agreed = serializers.BooleanField()
    calls = serializers.IntegerField(min_value=1, max_value=MOST_CALLS)
    cost = serializers.FloatField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MOST_COST
    )

    def validate_agreed(self, value: bool) -> bool:
        if not value:
            raise ValidationError("Expected true: texts are sent to a judge.")
        return value


class SpendingSerializer(serializers.ModelSerializer):
    """What a run asked a judge over the network, and the most that it may."""

    calls = serializers.IntegerField(source="n_calls")
    kept = serializers.IntegerField(source="n_kept")

    class Meta:
        model = MetricRun
        fields = (
            "agreed_at calls most_calls kept tokens_in tokens_out cost held_cost"
            " most_cost currency"
        ).split()


def limit_of(data: Mapping[str, Any]) -> Limit | None:
    """Of a run that is wanted, in the currency of its endpoint."""
    limit = data.get("limit")
    if limit is None:
        return None
    currency = estimates.currency_of(data.get("options", {}))
    return Limit(limit["calls"], limit["cost"], currency)
