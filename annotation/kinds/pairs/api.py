"""The API of single choices between two texts."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.kinds.pairs import tables
from annotation.models import Seat, comparing
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages

ANSWERS = [*comparing.LEADS.values(), "cannot say"]


class ComparisonSerializer(serializers.Serializer):
    """One answer of one worker on two texts, as in the export of votes."""

    simulated = serializers.BooleanField()
    pair = serializers.IntegerField(help_text="Answers on the same texts share it.")
    first = serializers.CharField(help_text="Key of a text.")
    second = serializers.CharField(
        help_text="Key of the other one; empty where it is the first one, damaged."
    )
    first_system = serializers.CharField()
    second_system = serializers.CharField()
    perturbation = serializers.CharField(
        help_text="What was done to the damaged text; empty for a pair of two texts."
    )
    negative_text = serializers.CharField()
    prefix = serializers.CharField()
    label = serializers.CharField()
    source = serializers.CharField(help_text="What was shown beside the texts.")
    probability = serializers.FloatField(
        help_text="With which the pair was drawn among all pairs of its prompt."
    )
    aspect = serializers.CharField()
    left = serializers.ChoiceField(
        ["first", "second"], help_text="Which text stood on the left."
    )
    answer = serializers.ChoiceField(ANSWERS)
    value = serializers.IntegerField(
        allow_null=True,
        help_text="From 2, the first text is much better, to -2. 0: no difference.",
    )
    strength = serializers.IntegerField(
        allow_null=True,
        help_text="1: better, 2: much better. Null where workers were not asked.",
    )
    cannot_say = serializers.BooleanField()
    excluded = serializers.BooleanField(help_text="Whether one of them is excluded.")
    state = serializers.ChoiceField(
        Seat.State.choices, help_text="Only valid ones count."
    )
    informed = serializers.BooleanField(help_text="Made after the debriefing.")
    reason = serializers.CharField(help_text="Why the page was discarded.")
    survey = serializers.IntegerField()
    seat = serializers.IntegerField(
        help_text="Answers of one worker on one page share it."
    )
    position = serializers.IntegerField(help_text="1 is the first pair on the page.")
    rater = serializers.CharField(help_text="A code, never a platform's id.")
    milliseconds = serializers.IntegerField(
        allow_null=True, help_text="That the pair was in view; null: not measured."
    )
    claimed_at = serializers.CharField()
    submitted_at = serializers.CharField()


class ComparisonsApi(APIView):
    tag = "Ratings and scores"
    pagination_class = Pages

    @extend_schema(responses={200: ComparisonSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List comparisons

        Every choice between two texts that workers made, with its fate: `state` is
        "valid" where it counts. Votes from files are under votes.
        """
        study = get_study_for(request.user, name)
        pages = Pages()
        answers = tables.answers(study).order_by("pk")
        page = pages.paginate_queryset(answers, request, view=self)
        return pages.get_paginated_response(
            [tables.row(study, answer) for answer in page]
        )
