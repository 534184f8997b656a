"""The API of the statistic pages: their options, their results."""

from __future__ import annotations

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from evalapp.api.errors import REFUSED
from scoring.models import Analysis
from scoring.results import analysing, overview
from scoring.results import plan as planning
from scoring.results.forms.analyses import AnalysisForm
from scoring.stats import analyses
from scoring.stats.analyses.overview import LEVELS


class AnalysesApi(APIView):
    tag = "Results"

    Row = inline_serializer(
        "AnalysisName",
        {"name": serializers.CharField(), "title": serializers.CharField()},
        many=True,
    )

    @extend_schema(responses={200: Row, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List analyses

        Their names, for the next address, and titles.
        """
        get_study_for(request.user, name)
        return Response(
            [{"name": n, "title": analyses.get(n).TITLE} for n in analyses.NAMES]
        )


class AnalysisApi(APIView):
    tag = "Results"

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
        """Read an analysis

        The newest result. Options are in the query, as on its page. 202: a worker
        computes it now, so ask again. `fresh` is false while ratings or scores that
        have come in since are worked in.
        """
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


class AgreementApi(APIView):
    tag = "Results"

    Row = inline_serializer(
        "Agreement",
        {
            "aspect": serializers.CharField(),
            "level": serializers.ChoiceField(LEVELS),
            "alpha": serializers.FloatField(allow_null=True),
            "n_texts": serializers.IntegerField(),
            "n_ratings": serializers.IntegerField(),
        },
        many=True,
    )

    @extend_schema(responses={200: Row, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the agreement of raters

        Krippendorff's alpha for each aspect and level of measurement.
        """
        study = get_study_for(request.user, name)
        rows = overview.newest(study=study, at=timezone.now())["agreement"]
        return Response([overview.record(row, overview.AGREEMENT) for row in rows])


class CorrelationsApi(APIView):
    tag = "Results"

    Row = inline_serializer(
        "Correlation",
        {
            "metric": serializers.CharField(),
            "signature": serializers.CharField(),
            "metric_aspect": serializers.CharField(),
            "human_aspect": serializers.CharField(),
            "n": serializers.IntegerField(),
            "pearson": serializers.FloatField(allow_null=True),
            "spearman": serializers.FloatField(allow_null=True),
            "kendall": serializers.FloatField(allow_null=True),
        },
        many=True,
    )

    @extend_schema(responses={200: Row, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the correlations of metrics with people

        Each output of each metric with each aspect. Metrics are turned so that higher
        is better.
        """
        study = get_study_for(request.user, name)
        rows = overview.newest(study=study, at=timezone.now())["correlations"]
        return Response([overview.record(row, overview.CORRELATION) for row in rows])


class PlanApi(APIView):
    tag = "Results"

    Result = inline_serializer(
        "Plan",
        {
            "aspect": serializers.CharField(help_text="Key of the primary aspect."),
            "coefficient": serializers.ChoiceField(list(planning.COEFFICIENTS)),
            "grouping": serializers.ChoiceField(list(planning.GROUPINGS)),
            "metrics": serializers.ListField(child=serializers.DictField()),
            "note": serializers.CharField(),
            "policy": serializers.IntegerField(
                help_text="Version of quality control that it was made with."
            ),
            "locked_at": serializers.DateTimeField(allow_null=True),
        },
    )

    @extend_schema(responses={200: Result, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the analysis plan

        404 where the study has none. It counts once it is locked.
        """
        plan = planning.find(study=get_study_for(request.user, name))
        if plan is None:
            raise NotFound("The study has no analysis plan.")
        return Response(
            {
                "aspect": plan.aspect.key,
                "coefficient": plan.coefficient,
                "grouping": plan.grouping,
                "metrics": plan.metrics,
                "note": plan.note,
                "policy": plan.policy.version,
                "locked_at": plan.locked_at,
            }
        )
