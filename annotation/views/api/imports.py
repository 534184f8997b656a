"""The API of what was added to a study by files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import assistant
from annotation.access import get_study_for
from annotation.assistant import past
from annotation.imports import UploadError, intakes, undoing
from annotation.models import Import, Study
from evalapp.api.errors import REFUSED, Errors
from evalapp.api.pages import Pages
from evalapp.api.parsers import MultiPartParser
from evalapp.limits.uploads import takes_files, too_large


class ImportSerializer(serializers.ModelSerializer):
    added_by = serializers.CharField(
        source="created_by.username", default=None, allow_null=True
    )
    came = serializers.SerializerMethodField()

    class Meta:
        model = Import
        fields = ["id", "file_name", "format", "created_at", "added_by", "came"]

    def get_came(self, record: Import) -> str:
        """What came of it, such as "12 texts, 40 ratings"."""
        return past.came_of(record)


class ExampleSerializer(serializers.Serializer):
    """A text of the study, and what the file says of it."""

    key = serializers.CharField()
    system = serializers.CharField()
    text = serializers.CharField()
    output = serializers.CharField()
    value = serializers.FloatField(allow_null=True)


class AskedSerializer(serializers.Serializer):
    errors = serializers.ListField(child=serializers.CharField())
    kinds = serializers.ListField(
        child=serializers.CharField(), help_text="What the file may be; empty: one."
    )
    examples = ExampleSerializer(many=True)


@takes_files
class ImportsApi(APIView):
    tag = "Texts"
    pagination_class = Pages
    parser_classes = [MultiPartParser]

    class NewImport(serializers.Serializer):
        file = serializers.FileField()
        kind = serializers.CharField(
            max_length=20,
            required=False,
            help_text="scores, systems, results or votes. Without it, as recognised.",
        )
        directions = serializers.JSONField(
            required=False,
            help_text='Which way scores are better, such as {"loss": "lower"}.',
        )
        yes = serializers.BooleanField(
            default=False, help_text="What the file is asked about is right."
        )

        def validate_directions(self, said: object) -> object:
            words = said.values() if isinstance(said, dict) else [None]
            if not all(word in intakes.DIRECTIONS for word in words):
                raise ValidationError(
                    "directions is a table of higher, lower or closeness by output."
                )
            return said

    Added = inline_serializer(
        "Added",
        {
            "sentence": serializers.CharField(),
            "examples": ExampleSerializer(many=True),
        },
    )

    @extend_schema(responses={200: ImportSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List imports

        The files that were added, of whatever kind, the newest first.
        """
        study = get_study_for(request.user, name)
        rows, pages = study.imports.select_related("created_by"), Pages()
        page = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(ImportSerializer(page, many=True).data)

    @extend_schema(
        request=NewImport, responses={201: Added, 409: AskedSerializer, **REFUSED}
    )
    def post(self, request: Request, name: str) -> Response:
        """Add scores or votes

        The file is recognised by what is in it: scores of texts, numbers of systems,
        results of an evaluation tool, or votes. Texts go to uploads. Where only you can
        say something, it is 409 with the questions and nothing is stored: send the file
        again with `kind`, `directions` or `yes`.
        """
        study = get_study_for(request.user, name)
        wanted = self.NewImport(data=request.data)
        if getattr(request, "upload_refused", False):  # else it would look forgotten
            raise ValidationError(too_large())
        wanted.is_valid(raise_exception=True)
        try:
            with assistant.alone(request.user):
                return _added(study, request.user, wanted.validated_data)
        except assistant.Busy as error:
            raise Throttled(detail=str(error)) from error
        except UploadError as error:
            raise ValidationError(error.lines) from error


def _added(study: Study, user: User, given: dict[str, Any]) -> Response:
    file = given["file"]
    profile = intakes.profile_of(file, file.name)
    kinds = [given["kind"]] if given.get("kind") else intakes.kinds_of(profile)
    if len(kinds) > 1:
        told = f"The file may be {' or '.join(kinds)}. Say which as kind."
        return _asked([told], kinds)
    if kinds == [intakes.TEXTS]:
        raise ValidationError("This file has texts: send it to uploads.")
    if kinds[0] not in intakes.INTAKES:
        raise ValidationError(f"kind is one of {', '.join(intakes.INTAKES)}.")
    answers = intakes.Answers(directions=given.get("directions") or {})
    brought = intakes.INTAKES[kinds[0]].read(study, profile, answers)
    asked = [] if given["yes"] else brought.unanswered(answers)
    if asked:
        return _asked([one.sentence for one in asked], [], brought.examples)
    found = {"sentence": brought.store(user).sentence, "examples": brought.examples}
    answer = ImportsApi.Added.to_representation(found)
    return Response(answer, status.HTTP_201_CREATED)


def _asked(
    sentences: list[str], kinds: list[str], examples: Sequence[intakes.Example] = ()
) -> Response:
    told = {"errors": sentences, "kinds": kinds, "examples": examples}
    answer = AskedSerializer().to_representation(told)
    return Response(answer, status.HTTP_409_CONFLICT)


class ImportApi(APIView):
    tag = "Texts"

    Undone = inline_serializer(
        "Undone",
        {
            "done": serializers.BooleanField(
                help_text="False: a worker removes the rest. Until then, the study"
                " answers 503."
            )
        },
    )

    @extend_schema(responses={200: Undone, 409: Errors, **REFUSED})
    def delete(self, request: Request, name: str, pk: int) -> Response:
        """Undo an import

        All that came with its file goes. Answers 409 if people have rated its texts, or
        may do so just now.
        """
        study = get_study_for(request.user, name)
        record = get_object_or_404(study.imports, pk=pk)
        try:
            done = undoing.undo(
                record=record, user=request.user, most=undoing.WAITED_FOR
            )
        except undoing.NotUndone as error:
            return Response({"errors": [str(error)]}, status.HTTP_409_CONFLICT)
        return Response({"done": done})
