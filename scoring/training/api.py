"""The API of trainings: metrics that learn before they score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.models import Aspect, Study
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages
from evalapp.api.parsers import JSONParser
from scoring import corpora
from scoring.metrics import OptionError, UnknownMetric
from scoring.models import Checkpoint
from scoring.scores.options import named
from scoring.training import starting
from scoring.training.forms import aspect_key, own_aspects, rated_aspects
from scoring.training.starting import TrainingError

REFUSALS = (TrainingError, OptionError, UnknownMetric, corpora.CorpusError)


class TrainingSerializer(serializers.ModelSerializer):
    """A training and how far it is.

    `corpus` is the name of a corpus of the study, or null, and `test` of another one
    that is never learned from: the card then has the figures of it. `ratings` is
    STUDY/ASPECT of the study whose ratings are learned from, or null; of this one,
    BLEURT is cross-fitted over prompts. `model` is what the
    metric's option `model` takes once the state is "done". `card` then tells what was
    learned from, and how good it is with what was held out.
    """

    options = serializers.DictField(required=False)
    corpus = serializers.CharField(
        source="corpus.name", default=None, allow_null=True, max_length=64
    )
    test = serializers.CharField(
        source="test.name", default=None, allow_null=True, max_length=64
    )
    ratings = serializers.CharField(
        source="aspect", default=None, allow_null=True, max_length=200
    )
    model = serializers.CharField(source="key", read_only=True)
    log = serializers.ListField(child=serializers.DictField(), read_only=True)
    card = serializers.DictField(read_only=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Checkpoint
        fields = (
            "name metric options corpus test ratings state model error signature"
            " progress log card created_at finished_at"
        ).split()
        read_only_fields = "state error signature created_at finished_at".split()

    def to_representation(self, instance: Checkpoint) -> dict[str, object]:
        shown = super().to_representation(instance)
        aspect = instance.aspect
        return {
            **shown,
            "options": named(instance.options),
            "ratings": aspect_key(aspect) if aspect else None,
        }

    def get_progress(self, training: Checkpoint) -> dict[str, Any]:
        progress = self.context["progress"][training.pk]
        return {
            "stage": training.stage,
            "step": training.step,
            "steps": training.steps,
            "share": progress.share,
            "loss": training.loss,
            "held_out_loss": training.held_out_loss,
            "seconds_left": progress.seconds_left,
        }


def _shown(trainings: Sequence[Checkpoint]) -> list[dict[str, object]]:
    """One query, however many trainings there are."""
    context = {"progress": starting.progress_of(trainings)}
    return TrainingSerializer(trainings, many=True, context=context).data


class TrainingsApi(APIView):
    tag = "Trained metrics"
    pagination_class = Pages
    # Lists and options in a form would be left out without a word.
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: TrainingSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List trainings

        The newest first.
        """
        study = get_study_for(request.user, name)
        found, pages = _with_names(study), Pages()
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(_shown(page))

    @extend_schema(
        request=TrainingSerializer, responses={201: TrainingSerializer, **REFUSED}
    )
    def post(self, request: Request, name: str) -> Response:
        """Start a training"""
        study = get_study_for(request.user, name)
        wanted = TrainingSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        chosen = wanted.validated_data
        try:
            started = starting.start(
                study=study,
                metric=chosen["metric"],
                name=chosen["name"],
                options=chosen.get("options", {}),
                corpus=corpora.find(study=study, name=chosen["corpus"]["name"]),
                test=corpora.find(study=study, name=chosen["test"]["name"]),
                aspect=_aspect(study, chosen["aspect"]),
                user=request.user,
            )
        except REFUSALS as error:
            raise ValidationError(str(error)) from error
        return Response(_shown([started])[0], status.HTTP_201_CREATED)


class TrainingApi(APIView):
    tag = "Trained metrics"

    @extend_schema(responses={200: TrainingSerializer, **REFUSED})
    def get(self, request: Request, name: str, training: str) -> Response:
        """Read a training and its progress"""
        return Response(_shown([_for(request, name, training)])[0])

    @extend_schema(responses={204: None, **REFUSED})
    def delete(self, request: Request, name: str, training: str) -> Response:
        """Delete a training and its model

        Scores that it gave stay.
        """
        found = _for(request, name, training)
        try:
            starting.remove(checkpoint=found, user=request.user)
        except TrainingError as error:
            raise ValidationError(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


class CancelTrainingApi(APIView):
    tag = "Trained metrics"

    @extend_schema(request=None, responses={200: TrainingSerializer, **REFUSED})
    def post(self, request: Request, name: str, training: str) -> Response:
        """Cancel a training

        What it has learned stays, and a retry continues from there.
        """
        found = _for(request, name, training)
        starting.cancel(checkpoint=found)
        found.refresh_from_db()
        return Response(_shown([found])[0])


class RetryTrainingApi(APIView):
    tag = "Trained metrics"

    @extend_schema(request=None, responses={200: TrainingSerializer, **REFUSED})
    def post(self, request: Request, name: str, training: str) -> Response:
        """Continue a training

        One that failed or was cancelled.
        """
        found = _for(request, name, training)
        try:
            starting.retry(checkpoint=found)
        except TrainingError as error:
            raise ValidationError(str(error)) from error
        found.refresh_from_db()
        return Response(_shown([found])[0])


def _for(request: Request, name: str, training: str) -> Checkpoint:
    study = get_study_for(request.user, name)
    return get_object_or_404(_with_names(study), name=training)


def _with_names(study: Study) -> QuerySet[Checkpoint]:
    return study.checkpoints.select_related("study", "corpus", "test", "aspect__study")


def _aspect(study: Study, name: str | None) -> Aspect | None:
    """The aspect that STUDY/ASPECT names, of those that the study may learn from."""
    if not name:
        return None
    known = {
        aspect_key(one): one for one in (*own_aspects(study), *rated_aspects(study))
    }
    if name not in known:
        there = ", ".join(known) or "none yet"
        raise TrainingError(
            f"ratings={name[:150]}: expected STUDY/ASPECT of this study or of another"
            " one that has ratings and that all members of this one may see; there are:"
            f" {there}"
        )
    return known[name]
