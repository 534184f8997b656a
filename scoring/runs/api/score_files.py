"""The API that takes scores computed elsewhere: the page's functions."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema, inline_serializer
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
from scoring.runs import uploaded


class PairSerializer(serializers.Serializer):
    """A text of the study with a value of the file."""

    key = serializers.CharField()
    system = serializers.CharField()
    text = serializers.CharField()
    output = serializers.CharField()
    value = serializers.FloatField(allow_null=True)


@takes_files
class ScoreFilesApi(APIView):
    tag = "Metrics"
    parser_classes = [MultiPartParser]

    class ScoreUpload(serializers.Serializer):
        file = serializers.FileField()
        dry_run = serializers.BooleanField(
            default=False, help_text="Check and show pairs, but store nothing."
        )
        confirmed = serializers.BooleanField(
            default=False, help_text="You have compared the pairs with your file."
        )

    Output = inline_serializer(
        "ScoreFile",
        {
            "runs": serializers.ListField(
                child=serializers.IntegerField(), help_text="Empty: nothing is stored."
            ),
            "n_scores": serializers.IntegerField(),
            "pairs": PairSerializer(many=True),
            "question": serializers.CharField(
                help_text="What only you can say about ids and directions. Empty:"
                " nothing."
            ),
        },
    )

    @extend_schema(
        request=ScoreUpload,
        responses={200: Output, 201: Output, 409: Output, **REFUSED},
    )
    def post(self, request: Request, name: str) -> Response:
        """Upload scores

        A table with key, output and value, and optionally direction, metric, signature
        and text. The answer shows three texts with their values. Where nobody knows
        whose the ids of the study are, or the file has no direction, it is 409 and
        nothing is stored: compare the pairs with your file, and send it again with
        `confirmed`.
        """
        study = get_study_for(request.user, name)
        wanted = self.ScoreUpload(data=request.data)
        if getattr(request, "upload_refused", False):  # else it would look forgotten
            raise ValidationError(too_large())
        wanted.is_valid(raise_exception=True)
        file = wanted.validated_data["file"]
        try:
            checked = uploaded.read(study=study, file=file, file_name=file.name)
            runs, code = [], status.HTTP_200_OK
            asked = checked.doubt and not wanted.validated_data["confirmed"]
            if asked and not wanted.validated_data["dry_run"]:
                code = status.HTTP_409_CONFLICT
            elif not wanted.validated_data["dry_run"]:
                runs = checked.store(user=request.user)
                code = status.HTTP_201_CREATED
        except UploadError as error:
            raise ValidationError(error.lines) from error
        found = {
            "runs": [run.pk for run in runs],
            "n_scores": len(checked.lines),
            "pairs": [pair.plain() for pair in checked.pairs()],
            "question": checked.doubt,
        }
        return Response(found, code)
