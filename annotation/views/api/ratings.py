"""The API of single ratings."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import get_study_for
from annotation.exports import ratings
from annotation.exports.api import RowsApi, serializer
from evalapp.api.errors import REFUSED

RatingSerializer = serializer("Rating", ratings.table())


class RatingsApi(RowsApi):
    @extend_schema(responses={200: RatingSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List single ratings

        Every rating with its fate, also those that do not count: `state` is "valid"
        or "imported" where they do. Workers are codes.
        """
        study = get_study_for(request.user, name)
        # Of ratings on pages before this one, only ids are read.
        ids = ratings.of_study(study).values_list("pk", flat=True)
        return self.page(request, ids, lambda page: ratings.rows_of(study, page))
