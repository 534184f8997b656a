"""Every refusal of the API has one form: {"errors": ["a sentence", ...]}."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import exception_handler


class Errors(serializers.Serializer):
    """What a refused request answers: all errors at once, one sentence each."""

    errors = serializers.ListField(child=serializers.CharField())


# What the description of the API says of any refusal.
REFUSED = {400: Errors, 403: Errors, 404: Errors}


def handler(error: Exception, context: Mapping[str, object]) -> Response | None:
    response = exception_handler(error, context)
    if response is not None:
        response.data = {"errors": list(sentences(response.data))}
    return response


def sentences(detail: Any, where: str = "") -> Iterator[str]:
    """Flatten DRF's nested details: {"name": ["taken"]} is "name: taken"."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            named = "" if key in ("detail", "non_field_errors") else str(key)
            yield from sentences(inner, ": ".join(filter(None, (where, named))))
    elif isinstance(detail, list | tuple):
        for inner in detail:
            yield from sentences(inner, where)
    else:
        yield f"{where}: {detail}" if where else str(detail)
