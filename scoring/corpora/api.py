"""The API of corpora: collections of human texts."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.imports import UploadError
from evalapp.api.errors import REFUSED
from evalapp.api.parsers import MultiPartParser
from evalapp.limits.uploads import takes_files, too_large
from scoring.corpora import keeping
from scoring.models import Corpus


class CorpusSerializer(serializers.ModelSerializer):
    """A corpus; `sha256` is of its file, `digest` of its texts in order."""

    attributes = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Corpus
        fields = (
            "name file_name sha256 digest attributes n_texts n_duplicates n_characters"
            " created_at"
        ).split()


class CorpusUploadSerializer(serializers.Serializer):
    name = serializers.CharField()
    file = serializers.FileField()


@takes_files
class CorporaApi(APIView):
    tag = "Texts"
    parser_classes = [MultiPartParser]

    @extend_schema(responses={200: CorpusSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List corpora of human texts"""
        study = get_study_for(request.user, name)
        return Response(CorpusSerializer(study.corpora.all(), many=True).data)

    @extend_schema(
        request=CorpusUploadSerializer, responses={201: CorpusSerializer, **REFUSED}
    )
    def post(self, request: Request, name: str) -> Response:
        """Upload a corpus of human texts

        The file is called .jsonl or .txt, or packed .jsonl.gz or .txt.gz. The whole of
        it is checked first: a bad one changes nothing and answers 400 with all its
        errors and their line numbers.
        """
        study = get_study_for(request.user, name)
        wanted = CorpusUploadSerializer(data=request.data)
        if getattr(request, "upload_refused", False):  # else it would look forgotten
            raise ValidationError(too_large())
        wanted.is_valid(raise_exception=True)
        file = wanted.validated_data["file"]
        try:
            made = keeping.add(
                study=study,
                name=wanted.validated_data["name"],
                file=file.file,
                file_name=file.name,
                user=request.user,
            )
        except UploadError as error:
            raise ValidationError(error.lines) from error
        return Response(CorpusSerializer(made).data, status.HTTP_201_CREATED)


class CorpusApi(APIView):
    tag = "Texts"

    @extend_schema(responses={200: CorpusSerializer, **REFUSED})
    def get(self, request: Request, name: str, corpus: str) -> Response:
        """Read a corpus"""
        return Response(CorpusSerializer(_corpus_for(request, name, corpus)).data)

    @extend_schema(responses={204: None, **REFUSED})
    def delete(self, request: Request, name: str, corpus: str) -> Response:
        """Delete a corpus

        Scores of finished runs stay as they are.
        """
        found = _corpus_for(request, name, corpus)
        try:
            keeping.remove(corpus=found, user=request.user)
        except keeping.CorpusError as error:
            raise ValidationError(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


def _corpus_for(request: Request, name: str, corpus: str) -> Corpus:
    study = get_study_for(request.user, name)
    return get_object_or_404(study.corpora, name=corpus)
