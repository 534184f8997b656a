"""The API of what becomes of a study: copy, archive, delete and restore it."""

from __future__ import annotations

from collections.abc import Callable

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import studies
from annotation.access import Level, get_study_for
from annotation.models import Study
from annotation.studies.deleting import GRACE
from annotation.views.api.studies import StudySerializer
from evalapp.api.errors import REFUSED


class NewCopySerializer(serializers.Serializer):
    name = serializers.SlugField(help_text="Of the copy.")
    texts = serializers.BooleanField(
        default=True, help_text="Whether texts, prompts and references are copied, too."
    )


class CopyApi(APIView):
    tag = "Studies"
    needs = {"POST": Level.READ}

    @extend_schema(
        request=NewCopySerializer, responses={201: StudySerializer, **REFUSED}
    )
    def post(self, request: Request, name: str) -> Response:
        """Copy a study

        The copy is a draft, and you are its owner. It has the set-up and, if you like,
        the texts, but no ratings and no scores.
        """
        study = get_study_for(request.user, name)
        wanted = NewCopySerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            made = studies.copy(
                source=study,
                name=wanted.validated_data["name"],
                with_texts=wanted.validated_data["texts"],
                user=request.user,
                now=timezone.now(),
            )
        except studies.StudyError as error:
            raise ValidationError(str(error)) from error
        found = get_study_for(request.user, made.name)
        return Response(StudySerializer(found).data, status.HTTP_201_CREATED)


class ArchiveApi(APIView):
    tag = "Studies"
    needs = {"POST": Level.MANAGE}

    @extend_schema(request=None, responses={200: StudySerializer, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Archive a study

        Owners only. It can be read, but not changed, until it is taken out again.
        """
        return _do(request, name, studies.archive)


class UnarchiveApi(APIView):
    tag = "Studies"
    needs = {"POST": Level.MANAGE}

    @extend_schema(request=None, responses={200: StudySerializer, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Take a study out of the archive

        Owners only.
        """
        return _do(request, name, studies.unarchive)


def _do(request: Request, name: str, verb: Callable[..., None]) -> Response:
    study = get_study_for(request.user, name)
    try:
        verb(study=study, user=request.user, now=timezone.now())
    except studies.StudyError as error:
        raise ValidationError(str(error)) from error
    return Response(StudySerializer(get_study_for(request.user, name)).data)


class DeletedSerializer(serializers.ModelSerializer):
    ends_at = serializers.SerializerMethodField(
        help_text="When everything of it is removed for good."
    )

    class Meta:
        model = Study
        fields = ["id", "name", "title", "deleted_at", "ends_at"]

    def get_ends_at(self, study: Study) -> str | None:
        ends = study.deleted_at + GRACE if study.deleted_at else None
        return ends.isoformat() if ends else None


class DeletedApi(generics.ListAPIView):
    tag = "Studies"
    serializer_class = DeletedSerializer
    queryset = Study.objects.none()

    def get_queryset(self):
        found = Study.objects.deleted_of(self.request.user)
        return found.order_by("-deleted_at", "-pk")

    @extend_schema(responses={200: DeletedSerializer(many=True), **REFUSED})
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List deleted studies

        Those that you may restore, by the `id` given here.
        """
        return super().get(request, *args, **kwargs)


class RestoreApi(APIView):
    tag = "Studies"

    @extend_schema(request=None, responses={200: StudySerializer, **REFUSED})
    def post(self, request: Request, pk: int) -> Response:
        """Restore a deleted study

        Owners only, within 30 days.
        """
        found = get_object_or_404(Study.objects.deleted_of(request.user), pk=pk)
        studies.restore(study=found, user=request.user, now=timezone.now())
        return Response(StudySerializer(get_study_for(request.user, found.name)).data)
