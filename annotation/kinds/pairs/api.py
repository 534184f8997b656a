"""The API of single choices between two texts."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import get_study_for
from annotation.exports.api import RowsApi, serializer
from annotation.kinds.pairs.tables import CHOICES
from evalapp.api.errors import REFUSED

ComparisonSerializer = serializer("Comparison", CHOICES.table)


class ComparisonsApi(RowsApi):
    @extend_schema(responses={200: ComparisonSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List comparisons

        Every choice between two texts that workers made, with its fate: `state` is
        "valid" where it counts. Votes from files are under votes.
        """
        study = get_study_for(request.user, name)
        return self.page(request, *CHOICES.of(study))
