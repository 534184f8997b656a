"""The API of single corrections."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.kinds.edits import tables
from annotation.models import Seat
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages


class EditSerializer(serializers.Serializer):
    """One text as a worker left it, as in the export of corrections."""

    simulated = serializers.BooleanField()
    text = serializers.CharField(help_text="Key of the text; empty for a damaged one.")
    negative_of = serializers.CharField(
        help_text="Key of the text that was damaged; empty for a text as it is."
    )
    perturbation = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    nothing_to_correct = serializers.BooleanField(help_text="As the worker said.")
    changed_words = serializers.IntegerField(
        help_text="Fewest insertions, deletions and replacements of words."
    )
    words = serializers.IntegerField(help_text="Of the text as it is after.")
    excluded = serializers.BooleanField(help_text="Whether the text is excluded.")
    state = serializers.ChoiceField(Seat.State.choices, help_text="Only valid counts.")
    informed = serializers.BooleanField(help_text="Corrected after the debriefing.")
    reason = serializers.CharField(help_text="Why the page was discarded.")
    survey = serializers.IntegerField()
    seat = serializers.IntegerField(
        help_text="Corrections of one worker on one page share it."
    )
    position = serializers.IntegerField(help_text="1 is the first text on the page.")
    rater = serializers.CharField(help_text="A code, never a platform's id.")
    claimed_at = serializers.CharField()
    submitted_at = serializers.CharField()


class EditsApi(APIView):
    tag = "Ratings and scores"
    pagination_class = Pages

    @extend_schema(responses={200: EditSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List single corrections

        Every text as a worker left it, also drafts and those that do not count: they do
        where `state` is "valid". Workers are codes.
        """
        study = get_study_for(request.user, name)
        pages = Pages()
        page = pages.paginate_queryset(tables.edits(study), request, view=self)
        return pages.get_paginated_response([tables.row(study, edit) for edit in page])
