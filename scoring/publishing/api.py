"""The API of a data set: say what may be told, start it, wait for it, download it."""

from __future__ import annotations

from django.db import transaction
from django.http import FileResponse, HttpResponseRedirect
from django.utils import timezone
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
from scoring.archive import permission
from scoring.models import DataSet, Publication
from scoring.publishing.shelf import SHELF

STATES = ["none", *DataSet.State.values]
TOLD = ("licence", "authors", "affiliation", "paper", "ethics")


class ConsentSerializer(serializers.Serializer):
    digest = serializers.CharField(help_text='Or "files", for ratings from files.')
    words = serializers.CharField(help_text="Empty where they are not known.")
    raters = serializers.IntegerField(source="n_raters")
    allowed = serializers.BooleanField()


class PublicationSerializer(serializers.ModelSerializer):
    consents = serializers.ListField(
        child=serializers.CharField(max_length=16),
        max_length=1000,
        required=False,
        help_text="Digests of the consent texts that allow single ratings.",
    )

    class Meta:
        model = Publication
        fields = (*TOLD, "consents")


class DataSetApi(APIView):
    tag = "Results"
    needs = {"POST": Level.READ}  # it changes nothing of the study

    Result = inline_serializer(
        "DataSet",
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
            "single_ratings": serializers.ChoiceField(
                ["all", "some", "none"], help_text="Which would be in it."
            ),
            "consents": ConsentSerializer(many=True),
            **{name: serializers.CharField() for name in TOLD},
        },
    )

    @extend_schema(responses={200: Result, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the state of the data set"""
        return Response(_state(get_study_for(request.user, name)))

    @extend_schema(request=None, responses={202: Result, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Make a data set

        A worker makes it. Ask for its state until `ready` is true. It is kept for a
        day.
        """
        study = get_study_for(request.user, name)
        SHELF.ask(study=study)
        return Response(_state(study), status.HTTP_202_ACCEPTED)

    @extend_schema(request=PublicationSerializer, responses={200: Result, **REFUSED})
    def patch(self, request: Request, name: str) -> Response:
        """Say what only you know of the data set

        Whose it is, and which consent texts allow single ratings to be published.
        """
        study = get_study_for(request.user, name)
        with transaction.atomic():
            row, _ = Publication.objects.get_or_create(study=study)
            told = PublicationSerializer(row, data=request.data, partial=True)
            told.is_valid(raise_exception=True)
            digests = told.validated_data.pop("consents", None)
            told.save()
            if digests is not None:
                permission.allow(study=study, digests=digests)
            permission.log_change(study=study, user=request.user, now=timezone.now())
        return Response(_state(study))


class DataSetFileApi(APIView):
    tag = "Results"

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY, **REFUSED})
    def get(self, request: Request, name: str) -> FileResponse:
        """Download the data set

        A zip file with one folder.
        """
        study = get_study_for(request.user, name)
        found = SHELF.file_of(SHELF.find(study=study))
        if found is None:
            raise NotFound("There is no data set yet. Request one first.")
        return FileResponse(
            storage.opened(found.name),
            as_attachment=True,
            filename=found.base,
            content_type="application/zip",
        )


class BundleFileApi(APIView):
    """The address of reproduction bundles, which data sets now have in them."""

    schema = None

    def get(self, request: Request, name: str) -> HttpResponseRedirect:
        get_study_for(request.user, name)
        start, _, end = request.path.rpartition("/bundle/")
        return HttpResponseRedirect(f"{start}/dataset/{end}", preserve_request=True)


class BundleApi(BundleFileApi):
    needs = {"POST": Level.READ}
    post = BundleFileApi.get


def _state(study: Study) -> dict[str, object]:
    row = Publication.objects.filter(study=study).first() or Publication()
    consents = permission.consents(study=study)
    return {
        **SHELF.state(study),
        "single_ratings": permission.of(study=study).level,
        "consents": ConsentSerializer(consents, many=True).data,
        **{name: getattr(row, name) for name in TOLD},
    }
