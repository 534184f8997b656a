"""The API of the statistic pages: their options, their results."""

from __future__ import annotations

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api import REFUSED
from annotation.views import get_study_for
from scoring import analysing
from scoring.analysis_forms import AnalysisForm
from scoring.models import Analysis
from scoring.stats import analyses


class AnalysesApi(APIView):
    """What can be computed of a study: names for the next address, and titles."""

    Row = inline_serializer(
        "AnalysisName",
        {"name": serializers.CharField(), "title": serializers.CharField()},
        many=True,
    )

    @extend_schema(responses={200: Row, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        get_study_for(request.user, name)
        return Response(
            [{"name": n, "title": analyses.get(n).TITLE} for n in analyses.NAMES]
        )


class AnalysisApi(APIView):
    """The newest result of an analysis; options stand in the query, as on its page.

    202: a worker has been asked for it, ask again. `fresh` is false while ratings or
    scores that have come in since are worked in.
    """

    Result = inline_serializer(
        "Analysis",
        {
            "state": serializers.ChoiceField(Analysis.State.values),
            "fresh": serializers.BooleanField(),
            "computed_at": serializers.DateTimeField(allow_null=True),
            "error": serializers.CharField(),
            "result": serializers.JSONField(allow_null=True),
        },
    )

    @extend_schema(responses={200: Result, 202: Result, **REFUSED})
    def get(self, request: Request, name: str, analysis: str) -> Response:
        study = get_study_for(request.user, name)
        if analysis not in analyses.NAMES:
            raise Http404
        form = AnalysisForm(study, analysis, request.query_params)
        if not form.is_valid():
            raise ValidationError(form.errors)
        if not analysing.anything(study=study):
            raise ValidationError(f"the study {study.name} has neither texts nor votes")
        row = analysing.find(
            study=study, name=analysis, options=form.options(), now=timezone.now()
        )
        found = {
            "state": row.state,
            "fresh": analysing.fresh(row),
            "computed_at": row.computed_at,
            "error": row.error,
            "result": row.result,
        }
        missing = row.result is None and row.state != Analysis.State.FAILED
        return Response(found, status.HTTP_202_ACCEPTED if missing else 200)
