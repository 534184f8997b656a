"""The API of workers, under the codes that exports name them by."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import dressed, get_study_for
from annotation.models import Seat, Worker
from annotation.models.surveys import pseudonym
from annotation.watching.seats import seats_in
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages


class WorkerSerializer(serializers.Serializer):
    worker = serializers.CharField(help_text="The code that ratings name as `rater`.")
    state = serializers.ChoiceField(Worker.State.choices)
    submitted = serializers.IntegerField(help_text="Pages.")
    valid = serializers.IntegerField()
    discarded = serializers.IntegerField()
    surplus = serializers.IntegerField()
    arrived_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class WorkersApi(APIView):
    tag = "Workers"
    pagination_class = Pages

    @extend_schema(responses={200: WorkerSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List workers

        With their numbers of pages. `surplus` pages are valid, but came when others
        had filled the places. Platform ids are never given out.
        """
        study = get_study_for(request.user, name)
        pages = Pages()
        page = pages.paginate_queryset(study.workers.order_by("pk"), request, view=self)
        rows = [
            {
                "worker": pseudonym(study, one.pk),
                "state": one.state,
                "submitted": one.submitted,
                "valid": one.valid,
                "discarded": one.discarded,
                "surplus": one.surplus,
                "arrived_at": one.created_at,
                "finished_at": one.debriefed_at,
            }
            for one in dressed(page, _with_pages)
        ]
        return pages.get_paginated_response(WorkerSerializer(rows, many=True).data)


def _with_pages(workers: QuerySet[Worker]) -> QuerySet[Worker]:
    """Add pages by fate. Still one query."""
    return workers.annotate(
        submitted=seats_in(*Seat.FINISHED),
        valid=seats_in(Seat.State.VALID),
        discarded=seats_in(Seat.State.DISCARDED),
        surplus=seats_in(Seat.State.SURPLUS),
    )
