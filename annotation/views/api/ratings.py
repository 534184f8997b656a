"""The API of single ratings."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.exports import ratings
from annotation.models import Seat
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages

STATES = [*Seat.State.values, "imported"]


class RatingSerializer(serializers.Serializer):
    """One answer of one worker, as in the export of annotations."""

    simulated = serializers.BooleanField()
    text = serializers.CharField(help_text="Key of the text; empty for a damaged one.")
    negative_of = serializers.CharField(
        help_text="Key of the text that was damaged; empty for a text as it is."
    )
    decoy = serializers.CharField(
        help_text="Key of an undamaged turn in a damaged dialogue, which never counts;"
        " else empty."
    )
    perturbation = serializers.CharField()
    negative_text = serializers.CharField()
    aspect = serializers.CharField()
    value = serializers.IntegerField(
        allow_null=True, help_text="On the scale of its aspect."
    )
    cannot_say = serializers.BooleanField(
        help_text="The worker could not say: `value` is null, and nothing is counted."
    )
    excluded = serializers.BooleanField(help_text="Whether the text is excluded.")
    state = serializers.ChoiceField(STATES, help_text="Only valid and imported count.")
    informed = serializers.BooleanField(help_text="Rated after the debriefing.")
    reason = serializers.CharField(help_text="Why the page was discarded.")
    survey = serializers.IntegerField(allow_null=True)
    seat = serializers.IntegerField(
        allow_null=True, help_text="Ratings of one worker on one page share it."
    )
    position = serializers.IntegerField(
        allow_null=True, help_text="1 is the first text on the page."
    )
    rater = serializers.CharField(help_text="A code, never a platform's id.")
    file = serializers.CharField()
    claimed_at = serializers.CharField()
    submitted_at = serializers.CharField()


class RatingsApi(APIView):
    tag = "Ratings and scores"
    pagination_class = Pages

    @extend_schema(responses={200: RatingSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List single ratings

        Every rating with its fate, also those that do not count: `state` is "valid"
        or "imported" where they do. Workers are codes.
        """
        study = get_study_for(request.user, name)
        pages = Pages()
        # Of ratings on pages before this one, only ids are read.
        found = ratings.of_study(study).values_list("pk", flat=True)
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(ratings.rows_of(study, page))
