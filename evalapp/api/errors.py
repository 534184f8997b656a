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


# What any operation may answer.
ALWAYS = {
    "400": "The request was not understood, or asks for something impossible.",
    "401": "There is no token, or it is unknown.",
    "403": "Not allowed.",
    "404": "It does not exist, or you have no access to it.",
    "429": "Too many requests: wait.",
}
WITH_A_BODY = {"415": "The body has a type that is not accepted here."}


def document(result: dict[str, Any], **context: object) -> dict[str, Any]:
    """Add to the description of the API what every operation may answer."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}}
    for methods in result["paths"].values():
        for method, operation in methods.items():
            refusals = ALWAYS if method == "get" else {**ALWAYS, **WITH_A_BODY}
            for status, told in refusals.items():
                answer = {"description": told, "content": content}
                operation["responses"][status] = answer
    return result


def handler(error: Exception, context: Mapping[str, object]) -> Response | None:
    response = exception_handler(error, context)
    if response is not None:
        response.data = {"errors": list(sentences(response.data))}
    return response


def sentences(detail: Any, where: str = "") -> Iterator[str]:
    """Flatten DRF's nested details: {"name": ["taken"]} is "name: taken"."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            named = "" if key in ("detail", "non_field_errors", "__all__") else str(key)
            yield from sentences(inner, ": ".join(filter(None, (where, named))))
    elif isinstance(detail, list | tuple):
        for inner in detail:
            yield from sentences(inner, where)
    else:
        yield f"{where}: {detail}" if where else str(detail)
