"""The API of metrics, runs and scores: the pages' own functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
    inline_serializer,
)
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages
from evalapp.api.parsers import JSONParser
from scoring import corpora, metrics
from scoring.judging import budget, usage_report
from scoring.judging.api import LimitSerializer, SpendingSerializer, limit_of
from scoring.judging.ledger import Limit, LimitError
from scoring.models import MetricRun, NegativeScore, Score, SystemScore
from scoring.runs import battery, figures, outcomes, starting
from scoring.scores import options as option_values
from scoring.scores import versions

MOST_AT_ONCE = 100
# Of a run that is asked for.
REFUSALS = (
    starting.RunError,
    starting.OptionError,
    starting.UnknownMetric,
    corpora.CorpusError,
)


class MetricsApi(APIView):
    tag = "Metrics"

    Row = inline_serializer(
        "Metric",
        {
            "name": serializers.CharField(),
            "title": serializers.CharField(),
            "source": serializers.CharField(),
            "needs": serializers.ListField(child=serializers.CharField()),
            "uses": serializers.ListField(child=serializers.CharField()),
            "options": serializers.ListField(child=serializers.DictField()),
        },
        many=True,
    )

    @extend_schema(responses={200: Row})
    def get(self, request: Request) -> Response:
        """List metrics

        What they need, and their options. Those that need or use a "corpus" take the
        name of one where a run is started.
        """
        return Response([_facts(name) for name in metrics.names()])


def _facts(name: str) -> dict[str, object]:
    kind = metrics.get(name)
    return {
        "name": name,
        "title": kind.title,
        "source": kind.source,
        "needs": sorted(kind.needs),
        "uses": sorted(kind.uses),
        "options": [
            {
                "name": field.name,
                "type": field.type.__name__,
                "default": field.default,
                "help": field.told,
                "choices": list(field.choices),
            }
            for field in metrics.option_fields(kind.Options)
        ],
    }


class RunSerializer(serializers.ModelSerializer):
    """A run and how far it is; `done` and `total` count texts.

    `on` is "texts", or "negatives": the damaged texts that raters saw.
    `corpus` is the name of the study's corpus that systems are compared with, or null.
    `notes` are sentences of the metric that readers of its scores must know.
    `spending` is what a run has asked a judge over the network, or null; `kept`
    answers of earlier runs were used again.
    """

    spending = serializers.SerializerMethodField()
    options = serializers.DictField(required=False)
    corpus = serializers.CharField(
        source="corpus.name", default=None, allow_null=True, max_length=64
    )
    signature = serializers.CharField(
        source="signature.text", default=None, allow_null=True, read_only=True
    )
    old_version = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()

    class Meta:
        model = MetricRun
        fields = (
            "id metric on options corpus state error notes signature old_version"
            " created_at finished_at progress spending"
        ).split()
        read_only_fields = "state error notes created_at finished_at".split()

    def to_representation(self, instance: MetricRun) -> dict[str, object]:
        shown = super().to_representation(instance)
        options = instance.options.items()
        return {**shown, "options": {k: option_values.shown(v) for k, v in options}}

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_old_version(self, run: MetricRun) -> str | None:
        """Null, or why the metric gives other numbers by now."""
        made = versions.old(run.signature.text) if run.signature else None
        return made.sentence if made else None

    @extend_schema_field(SpendingSerializer(allow_null=True))
    def get_spending(self, run: MetricRun) -> Any:
        return SpendingSerializer(run).data if usage_report.asks(run) else None

    def get_progress(self, run: MetricRun) -> dict[str, Any]:
        progress = self.context["progress"][run.pk]
        keys = ("done", "total", "rate", "seconds_left")
        return {key: getattr(progress, key) for key in keys}


class StartSerializer(RunSerializer):
    """A run that is to start.

    `limit` is for one that asks a judge over the network: without it, the error says
    where texts would go and how much would be asked.
    """

    limit = LimitSerializer(required=False)

    class Meta(RunSerializer.Meta):
        fields = (*RunSerializer.Meta.fields, "limit")


class WantedSerializer(serializers.Serializer):
    metric = serializers.CharField(max_length=100)
    options = serializers.DictField(required=False)
    corpus = serializers.CharField(
        max_length=64, required=False, allow_null=True, help_text="Name of a corpus."
    )
    limit = LimitSerializer(required=False)


class SeveralRunsSerializer(serializers.Serializer):
    runs = serializers.ListField(
        child=WantedSerializer(), min_length=1, max_length=MOST_AT_ONCE
    )


def _shown(runs: Sequence[MetricRun]) -> list[dict[str, object]]:
    """Two queries, however many runs there are."""
    context = {"progress": figures.progress_of(runs)}
    return RunSerializer(runs, many=True, context=context).data


class RunsApi(APIView):
    tag = "Metrics"
    pagination_class = Pages
    # Lists and options in a form would be left out without a word.
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: RunSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List runs

        The newest first.
        """
        study = get_study_for(request.user, name)
        found, pages = study.runs.select_related("signature", "corpus"), Pages()
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(_shown(page))

    @extend_schema(request=StartSerializer, responses={201: RunSerializer, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Start a run

        Scores all texts of the study with one metric.
        """
        study = get_study_for(request.user, name)
        wanted = StartSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        chosen = wanted.validated_data
        try:
            run = starting.start(
                study=study,
                metric=chosen["metric"],
                options=chosen.get("options", {}),
                on=chosen.get("on", MetricRun.On.TEXTS),
                corpus=corpora.find(study=study, name=chosen["corpus"]["name"]),
                user=request.user,
                limit=limit_of(chosen),
            )
        except REFUSALS as error:
            raise ValidationError(str(error)) from error
        return Response(_shown([run])[0], status.HTTP_201_CREATED)


class SeveralApi(APIView):
    tag = "Metrics"
    parser_classes = (JSONParser,)

    Output = inline_serializer(
        "StartedRuns",
        {
            "started": RunSerializer(many=True),
            "refused": inline_serializer(
                "RefusedRun",
                {"metric": serializers.CharField(), "error": serializers.CharField()},
                many=True,
            ),
        },
    )

    @extend_schema(request=SeveralRunsSerializer, responses={201: Output, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Start several runs

        Each on its own: one that cannot start holds up no other. Without `options`, a
        metric takes those that suit the study, as the page proposes them. 400 if none
        could start.
        """
        study = get_study_for(request.user, name)
        wanted = SeveralRunsSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        started, refused = [], []
        for one in wanted.validated_data["runs"]:
            try:
                started.append(_start_ready(request, study, one))
            except REFUSALS as error:
                refused.append({"metric": one["metric"], "error": str(error)})
        if not started:
            said = [f"{one['metric']}: {one['error']}" for one in refused]
            raise ValidationError(said)
        found = {"started": _shown(started), "refused": refused}
        return Response(found, status.HTTP_201_CREATED)


def _start_ready(request: Request, study: Study, one: dict[str, Any]) -> MetricRun:
    corpus = corpora.find(study=study, name=one.get("corpus"))
    options = one.get("options")
    if options is None:
        visible = Study.objects.visible_to(request.user)
        choice = battery.choice(study=study, visible=visible, metric=one["metric"])
        options, corpus = choice.options, corpus or choice.corpus
    return starting.start_ready(
        study=study,
        metric=one["metric"],
        options=options,
        user=request.user,
        corpus=corpus,
        limit=limit_of(one),
    )


class RunApi(APIView):
    tag = "Metrics"

    @extend_schema(responses={200: RunSerializer, **REFUSED})
    def get(self, request: Request, name: str, pk: int) -> Response:
        """Read a run and its progress"""
        return Response(_shown([_run_for(request, name, pk)])[0])


class CancelApi(APIView):
    tag = "Metrics"

    @extend_schema(request=None, responses={200: RunSerializer, **REFUSED})
    def post(self, request: Request, name: str, pk: int) -> Response:
        """Cancel a run

        What it has scored stays.
        """
        run = _run_for(request, name, pk)
        starting.cancel(run=run)
        run.refresh_from_db()
        return Response(_shown([run])[0])


class RaiseApi(APIView):
    tag = "Metrics"
    parser_classes = (JSONParser,)

    @extend_schema(request=LimitSerializer, responses={200: RunSerializer, **REFUSED})
    def post(self, request: Request, name: str, pk: int) -> Response:
        """Raise the limit of a run

        Of one that stopped at its limit. Answers so far are kept, and only the missing
        ones are requested. `cost` must be given where the run has a spending limit.
        """
        run = _run_for(request, name, pk)
        wanted = LimitSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        given = wanted.validated_data
        try:
            limit = Limit(given["calls"], given["cost"], run.currency)
            budget.raise_run_limit(run=run, limit=limit, user=request.user)
        except LimitError as error:
            raise ValidationError(str(error)) from error
        return Response(_shown([run])[0])


class ScoreSerializer(serializers.ModelSerializer):
    generation = serializers.CharField(source="generation.key")

    class Meta:
        model = Score
        fields = "generation output value reason".split()


class NegativeScoreSerializer(serializers.ModelSerializer):
    survey = serializers.IntegerField(source="negative.survey.number")
    perturbation = serializers.CharField(source="negative.perturbation")

    class Meta:
        model = NegativeScore
        fields = "survey perturbation output value reason".split()


class SystemScoreSerializer(serializers.ModelSerializer):
    system = serializers.CharField(source="system.name")

    class Meta:
        model = SystemScore
        fields = "system output seed value reason".split()


SERIALIZERS = {
    Score: ScoreSerializer,
    NegativeScore: NegativeScoreSerializer,
    SystemScore: SystemScoreSerializer,
}


class ScoresApi(generics.ListAPIView):
    tag = "Metrics"
    serializer_class = ScoreSerializer
    queryset = Score.objects.none()

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the scores of a run

        null with a reason where a score is undefined. Of a run on damaged texts,
        `survey` and `perturbation` stand in place of `generation`. Of a metric of
        whole systems, `system` and `seed` do, with a row for each seed.
        """
        return super().get(request, *args, **kwargs)

    def get_serializer_class(self):
        return SERIALIZERS[getattr(self, "kind", Score)]

    def get_queryset(self):
        found = self._scores()
        self.kind = found.model
        return found

    def _scores(self) -> QuerySet:
        run = _run_for(self.request, self.kwargs["name"], self.kwargs["pk"])
        if outcomes.of_systems(run=run):
            found = SystemScore.objects.filter(
                signature=run.signature, system__study=run.study
            )
            return found.select_related("system").order_by("system", "output", "seed")
        if run.on == MetricRun.On.NEGATIVES:
            found = NegativeScore.objects.filter(
                signature=run.signature, negative__survey__study=run.study
            )
            found = found.select_related("negative__survey")
            return found.order_by("negative_id", "output")
        scores = Score.objects.filter(
            signature=run.signature, generation__study=run.study
        )
        return scores.select_related("generation").order_by("generation_id", "output")


def _run_for(request: Request, name: str, pk: int) -> MetricRun:
    study = get_study_for(request.user, name)
    return get_object_or_404(study.runs.select_related("signature", "corpus"), pk=pk)
