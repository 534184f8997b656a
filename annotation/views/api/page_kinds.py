"""The API of what the pages of a study ask for."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
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

    kind_settings = serializers.SerializerMethodField(
        help_text="What kinds in use have set beside these fields, by kind: of `spans`"
        " the errors that can be marked. What is left out there is as in its `preset`."
    )

    class Meta:
        model = Study
        fields = [
            "page_kinds",
            "kind_settings",
            *(one.name for kind in page_kinds.every() for one in kind.setup.options),
        ]

    @extend_schema_field(serializers.DictField(child=serializers.DictField()))
    def get_kind_settings(self, study: Study) -> dict[str, Any]:
        own = {kind.key: kind.setup.own(study) for kind in page_kinds.of(study)}
        return {key: settings for key, settings in own.items() if settings}


class ChosenKindsSerializer(PageKindsSerializer):
    kind_settings = serializers.DictField(
        child=serializers.DictField(), write_only=True
    )

    def validate_kind_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        if unknown := set(settings) - {*page_kinds.names()}:
            raise ValidationError(f"There is no kind {min(unknown)[:40]}.")
        return settings


class PageKindsApi(APIView):
    tag = "Studies"

    @extend_schema(responses={200: PageKindsSerializer, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the kinds of pages"""
        study = get_study_for(request.user, name)
        return Response(PageKindsSerializer(study).data)

    @extend_schema(
        request=ChosenKindsSerializer(partial=True),
        responses={200: PageKindsSerializer, **REFUSED},
    )
    def put(self, request: Request, name: str) -> Response:
        """Choose the kinds of pages

        While the study is a draft. What is left out stays.
        """
        study = get_study_for(request.user, name)
        sent = ChosenKindsSerializer(study, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        chosen = {**PageKindsSerializer(study).data, **sent.validated_data}
        settings = sent.validated_data.get("kind_settings", {})
        del chosen["kind_settings"]
        try:
            with transaction.atomic():
                studies.choose_kinds(
                    study=study,
                    kinds=chosen.pop("page_kinds"),
                    options=chosen,
                    user=request.user,
                    now=timezone.now(),
                )
                for key, values in settings.items():
                    page_kinds.get(key).setup.set_own(study, values)
        except ValueError as error:  # of studies, or of a kind
            raise ValidationError(str(error)) from error
        study.refresh_from_db()
        return Response(PageKindsSerializer(study).data)
