"""The API of single corrections."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import get_study_for
from annotation.exports.api import RowsApi, serializer
from annotation.kinds.edits.tables import CORRECTIONS
from evalapp.api.errors import REFUSED

EditSerializer = serializer("Edit", CORRECTIONS.table)


class EditsApi(RowsApi):
    @extend_schema(responses={200: EditSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List single corrections

        Every text as a worker left it, also drafts and those that do not count: they do
        where `state` is "valid". Workers are codes.
        """
        study = get_study_for(request.user, name)
        return self.page(request, *CORRECTIONS.of(study))
