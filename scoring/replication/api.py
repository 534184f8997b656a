"""The API of the reproduction bundle: start it, wait for it, download it."""

from __future__ import annotations

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import Level, get_study_for
from annotation.models import Study
from evalapp import storage
from evalapp.api.errors import REFUSED
from scoring.replication import shelf

STATES = ["none", *shelf.State.values]


class BundleApi(APIView):
    tag = "Results"
    needs = {"POST": Level.READ}  # it changes nothing of the study

    Result = inline_serializer(
        "Bundle",
        {
            "state": serializers.ChoiceField(
                STATES, help_text='"none" where none was asked for.'
            ),
            "error": serializers.CharField(),
            "ready": serializers.BooleanField(
                help_text="Whether it can be downloaded."
            ),
            "fresh": serializers.BooleanField(
                help_text="Whether it holds the data as they are now."
            ),
            "bytes": serializers.IntegerField(allow_null=True),
        },
    )

    @extend_schema(responses={200: Result, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the state of the reproduction bundle"""
        return Response(_state(get_study_for(request.user, name)))

    @extend_schema(request=None, responses={202: Result, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Make a reproduction bundle

        A worker makes it. Ask for its state until `ready` is true. It is kept for a
        day.
        """
        study = get_study_for(request.user, name)
        shelf.ask(study=study)
        return Response(_state(study), status.HTTP_202_ACCEPTED)


class BundleFileApi(APIView):
    tag = "Results"

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY, **REFUSED})
    def get(self, request: Request, name: str) -> FileResponse:
        """Download the reproduction bundle

        A zip file.
        """
        study = get_study_for(request.user, name)
        found = shelf.file_of(shelf.find(study=study))
        if found is None:
            raise NotFound("There is no bundle yet. Request one first.")
        return FileResponse(
            storage.opened(found.name),
            as_attachment=True,
            filename=found.base,
            content_type="application/zip",
        )


def _state(study: Study) -> dict[str, object]:
    return shelf.SHELF.state(study)
