"""The API of votes: choices between two systems."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.models import Vote
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages


class VoteSerializer(serializers.Serializer):
    pair = serializers.CharField(help_text="Votes on the same texts share it.")
    question = serializers.CharField()
    first = serializers.CharField(source="first.name", help_text="A system.")
    second = serializers.CharField(source="second.name")
    outcome = serializers.SerializerMethodField()
    ordered = serializers.BooleanField(help_text="Whether `first` was shown first.")
    rater = serializers.CharField(help_text="As named in the file.")
    file = serializers.CharField(source="imported.file_name")

    def get_outcome(self, vote: Vote) -> str:
        """ "first", "second" or "tie"."""
        return Vote.Outcome(vote.outcome).word


class VotesApi(APIView):
    tag = "Ratings and scores"
    pagination_class = Pages

    @extend_schema(responses={200: VoteSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List votes

        Choices of people between the texts of two systems.
        """
        study = get_study_for(request.user, name)
        found = study.votes.select_related("first", "second", "imported").order_by("pk")
        pages = Pages()
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(VoteSerializer(page, many=True).data)
