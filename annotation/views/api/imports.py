"""The API of what was added to a study by files."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.assistant import past
from annotation.imports import undoing
from annotation.models import Import
from evalapp.api.errors import REFUSED, Errors
from evalapp.api.pages import Pages


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


class ImportsApi(APIView):
    tag = "Texts"
    pagination_class = Pages

    @extend_schema(responses={200: ImportSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List imports

        The files that were added, of whatever kind, the newest first.
        """
        study = get_study_for(request.user, name)
        rows, pages = study.imports.select_related("created_by"), Pages()
        page = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(ImportSerializer(page, many=True).data)


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
