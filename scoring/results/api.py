"""The API of the statistic pages: their options, their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.api.errors import REFUSED
from evalapp.api.parsers import JSONParser
from scoring import analyses
from scoring.analyses.overview.numbers import LEVELS
from scoring.analyses.shared.grouping import COMPARING, Grouped
from scoring.models import Analysis, Plan
from scoring.option_fields import option_fields
from scoring.results import analysing, overview, stars, study_arrays
from scoring.results import plan as planning
from scoring.results.forms import plan as plan_forms
from scoring.results.forms.analyses import AnalysisForm


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
            [{"name": n, "title": analyses.get(n).TITLE} for n in analyses.names()]
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
        if analysis not in analyses.names():
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


COMPUTING = inline_serializer("Computing", {"detail": serializers.CharField()})


def _rows(found: Mapping[str, Any] | None, of: str, columns: list[str]) -> Response:
    if found is None:
        detail = (
            "A worker is computing this. Ask again in a minute. The analysis `overview`"
            " also gives the last result, its time, and any error."
        )
        return Response({"detail": detail}, status.HTTP_202_ACCEPTED)
    return Response([overview.record(row, columns) for row in found[of]])


def _with_versions(found: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if found is None:
        return None
    return {**found, "correlations": overview.marked(found["correlations"])}


class AgreementApi(APIView):
    tag = "Results"

    Row = inline_serializer(
        "Agreement",
        {
            "aspect": serializers.CharField(),
            "level": serializers.ChoiceField(LEVELS),
            "own": serializers.BooleanField(
                help_text="Whether the question says so: read this one first."
            ),
            "alpha": serializers.FloatField(allow_null=True),
            "n_texts": serializers.IntegerField(),
            "n_ratings": serializers.IntegerField(),
            "reason": serializers.CharField(
                allow_null=True, help_text="Why there is no alpha."
            ),
        },
        many=True,
    )

    @extend_schema(responses={200: Row, 202: COMPUTING, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the agreement of raters

        Krippendorff's alpha for each aspect and level of measurement. 202: a worker
        computes it, as the study is large.
        """
        study = get_study_for(request.user, name)
        found = overview.newest(study=study, at=timezone.now())
        return _rows(found, "agreement", overview.AGREEMENT)


def _comparing() -> list[OpenApiParameter]:
    """The options that say which texts are compared, as every page has them."""
    options = [one for one in option_fields(Grouped) if one.name in COMPARING]
    return [
        OpenApiParameter(
            one.name, enum=one.choices, default=one.default, description=one.label
        )
        for one in options
    ]


class CorrelationsApi(APIView):
    tag = "Results"

    Row = inline_serializer(
        "Correlation",
        {
            "metric": serializers.CharField(),
            "signature": serializers.CharField(),
            "old_version": serializers.CharField(
                allow_null=True,
                help_text="Null, or why the metric gives other numbers by now.",
            ),
            "metric_aspect": serializers.CharField(),
            "human_aspect": serializers.CharField(),
            "n": serializers.IntegerField(),
            "n_rated": serializers.IntegerField(
                help_text="Texts that people rated on this aspect, scored or not."
            ),
            "grouping": serializers.ChoiceField(
                list(planning.GROUPINGS),
                help_text="What texts are compared within: the prompt (item), the"
                " system, or none. The analysis `overview` says why.",
            ),
            "compared": serializers.CharField(
                help_text='Which texts that is: "12 texts of a prompt".'
            ),
            "pearson": serializers.FloatField(allow_null=True),
            "spearman": serializers.FloatField(allow_null=True),
            "kendall": serializers.FloatField(allow_null=True),
            "reason": serializers.CharField(
                allow_null=True, help_text="Why there is no coefficient."
            ),
        },
        many=True,
    )

    @extend_schema(
        parameters=_comparing(), responses={200: Row, 202: COMPUTING, **REFUSED}
    )
    def get(self, request: Request, name: str) -> Response:
        """Read the correlations of metrics with people

        Each output of each metric with each aspect. Metrics are turned so that higher
        is better. 202: a worker computes it, as the study is large.
        """
        study = get_study_for(request.user, name)
        form = AnalysisForm(study, overview.NAME, request.query_params)
        if not form.is_valid():
            raise ValidationError(form.errors)
        chosen = vars(form.options())
        found = overview.newest(study=study, at=timezone.now(), **chosen)
        columns = [*overview.CORRELATION, "old_version"]
        return _rows(_with_versions(found), "correlations", columns)


class StarSerializer(serializers.Serializer):
    output = serializers.CharField(help_text="Id of the output, as analyses name it.")
    label = serializers.CharField(read_only=True)
    variant = serializers.CharField(read_only=True)
    chosen = serializers.ChoiceField(
        ["", "before", "after"],
        read_only=True,
        help_text="Whether it was chosen before any number of the study was shown.",
    )
    remove = serializers.BooleanField(
        default=False, write_only=True, help_text="Takes the star away."
    )


class StarsApi(APIView):
    tag = "Results"

    @extend_schema(responses={200: StarSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List the metrics that can be chosen

        Each output that has scores, and whether it was chosen in time: then claims
        about it are corrected only for those chosen with it.
        """
        return Response(_stars(get_study_for(request.user, name)))

    @extend_schema(
        request=StarSerializer,
        responses={200: StarSerializer(many=True), **REFUSED},
    )
    def post(self, request: Request, name: str) -> Response:
        """Choose a metric

        Gives an output a star, or takes it away. Do it before you look at any result.
        """
        study = get_study_for(request.user, name)
        wanted = StarSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        output = _known(study, wanted.validated_data["output"])
        if wanted.validated_data["remove"]:
            stars.drop(study=study, output=output)
        else:
            stars.choose(study=study, output=output, now=timezone.now())
        return Response(_stars(study))


def _known(study: Study, output: str) -> str:
    known = [one.id for one in study_arrays.outputs(study=study)]
    if output not in known:
        raise ValidationError(
            {"output": [f"Expected one of {', '.join(known) or 'none'}; got {output}."]}
        )
    return output


def _stars(study: Study) -> list[dict[str, str]]:
    outputs = study_arrays.outputs(study=study)
    chosen = stars.of(study=study, outputs=outputs).chosen
    return [
        {
            "output": one.id,
            "label": one.label,
            "variant": one.variant,
            "chosen": chosen[one.id],
        }
        for one in outputs
    ]


class PlannedMetricSerializer(serializers.Serializer):
    metric = serializers.CharField(max_length=100)
    output = serializers.CharField(max_length=100)
    options = serializers.DictField(required=False)


class PlanSerializer(serializers.Serializer):
    aspect = serializers.CharField(help_text="Key of the primary aspect.")
    coefficient = serializers.ChoiceField(list(planning.COEFFICIENTS))
    grouping = serializers.ChoiceField(list(planning.GROUPINGS), default="none")
    metrics = PlannedMetricSerializer(many=True)
    note = serializers.CharField(required=False, allow_blank=True, default="")
    policy = serializers.IntegerField(
        read_only=True, help_text="Version of quality control that it was made with."
    )
    locked_at = serializers.DateTimeField(read_only=True, allow_null=True)


class PlanApi(APIView):
    tag = "Results"
    # Lists and options in a form would be left out without a word.
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: PlanSerializer, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the analysis plan

        404 where the study has none. It counts once it is locked.
        """
        plan = planning.find(study=get_study_for(request.user, name))
        if plan is None:
            raise NotFound("The study has no analysis plan.")
        return Response(_of_plan(plan))

    @extend_schema(request=PlanSerializer, responses={200: PlanSerializer, **REFUSED})
    def put(self, request: Request, name: str) -> Response:
        """Write the analysis plan

        In place of the one there was. It can be changed until it is locked, and only
        before the study is opened and has ratings.
        """
        study = get_study_for(request.user, name)
        wanted = PlanSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            what = plan_forms.checked(study=study, wanted=wanted.validated_data)
            return Response(_of_plan(planning.save(study=study, **what)))
        except plan_forms.Wrong as error:
            raise ValidationError(error.errors) from error
        except planning.PlanError as error:
            raise ValidationError(str(error)) from error


class PlanLockApi(APIView):
    tag = "Results"

    @extend_schema(request=None, responses={200: PlanSerializer, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Lock the analysis plan

        For good, with the quality control that is in force. Results then say what was
        planned.
        """
        study = get_study_for(request.user, name)
        try:
            plan = planning.lock(study=study, user=request.user, now=timezone.now())
        except planning.PlanError as error:
            raise ValidationError(str(error)) from error
        return Response(_of_plan(plan))


def _of_plan(plan: Plan) -> dict[str, object]:
    return {
        "aspect": plan.aspect.key,
        "coefficient": plan.coefficient,
        "grouping": plan.grouping,
        "metrics": plan.metrics,
        "note": plan.note,
        "policy": plan.policy.version,
        "locked_at": plan.locked_at,
    }
