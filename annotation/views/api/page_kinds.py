"""The API of what the pages of a study ask for."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import page_kinds, studies
from annotation.access import get_study_for
from annotation.models import Study
from annotation.views.api.studies import PageKinds
from evalapp.api.errors import REFUSED


class PageKindsSerializer(serializers.ModelSerializer):
    page_kinds = PageKinds(
        help_text="In the order in which workers get them; of"
        f" {', '.join(page_kinds.names())}."
    )

    class Meta:
        model = Study
        fields = [
            "page_kinds",
            *(one.name for kind in page_kinds.every() for one in kind.setup.options),
        ]


class PageKindsApi(APIView):
    tag = "Studies"

    @extend_schema(responses={200: PageKindsSerializer, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the kinds of pages"""
        study = get_study_for(request.user, name)
        return Response(PageKindsSerializer(study).data)

    @extend_schema(
        request=PageKindsSerializer(partial=True),
        responses={200: PageKindsSerializer, **REFUSED},
    )
    def put(self, request: Request, name: str) -> Response:
        """Choose the kinds of pages

        While the study is a draft. What is left out stays.
        """
        study = get_study_for(request.user, name)
        wanted = PageKindsSerializer(study, data=request.data, partial=True)
        wanted.is_valid(raise_exception=True)
        chosen = {**PageKindsSerializer(study).data, **wanted.validated_data}
        try:
            studies.choose_kinds(
                study=study,
                kinds=chosen.pop("page_kinds"),
                options=chosen,
                user=request.user,
                now=timezone.now(),
            )
        except studies.StudyError as error:
            raise ValidationError(str(error)) from error
        study.refresh_from_db()
        return Response(PageKindsSerializer(study).data)
