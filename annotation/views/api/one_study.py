"""The API of one study: read it, change its settings, delete it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import studies
from annotation.access import Level, get_study_for
from annotation.models import Study
from annotation.studies.settings import ON_THE_PAGE, why_fixed
from annotation.views.api.studies import (
    OF_SETTINGS,
    UNKNOWN,
    StudySerializer,
    read_all,
)
from evalapp.api.errors import REFUSED
from evalapp.api.parsers import JSONParser

ELSEWHERE = "It is not changed here."


class SettingsSerializer(serializers.ModelSerializer):
    """New settings of a study. What GET answers may come back: only changes count."""

    class Meta:
        model = Study
        fields = [setting.name for setting in ON_THE_PAGE]
        extra_kwargs = OF_SETTINGS

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)  # which refuses it
        answer = StudySerializer(self.instance).data
        changed = {
            name: value
            for name, value in data.items()
            if name not in answer or value != answer[name]
        }
        reasons = {name: self._why_not(name, answer) for name in changed}
        return read_all(
            super().to_internal_value,
            changed,
            {name: reason for name, reason in reasons.items() if reason},
        )

    def _why_not(self, name: str, answer: Mapping[str, object]) -> str:
        if name in self.fields:
            return why_fixed(name, self.instance.state)
        return ELSEWHERE if name in answer else UNKNOWN


class StudyApi(APIView):
    tag = "Studies"
    needs = {"DELETE": Level.MANAGE}
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: StudySerializer, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read a study"""
        return Response(StudySerializer(get_study_for(request.user, name)).data)

    @extend_schema(
        request=SettingsSerializer(partial=True),
        responses={200: StudySerializer, **REFUSED},
    )
    def patch(self, request: Request, name: str) -> Response:
        """Change settings of a study

        What is left out stays. Some settings are fixed once the study is open, as on
        its page: a request that would change one of them changes nothing.
        """
        study = get_study_for(request.user, name)
        sent = SettingsSerializer(study, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        try:
            studies.change_settings(
                study=study,
                values=sent.validated_data,
                user=request.user,
                now=timezone.now(),
            )
        except studies.SettingsError as error:
            raise ValidationError(error.reasons) from error
        return Response(StudySerializer(get_study_for(request.user, name)).data)

    @extend_schema(responses={204: None, **REFUSED})
    def delete(self, request: Request, name: str) -> Response:
        """Delete a study

        Owners only. It closes to everybody, and can be restored for 30 days.
        """
        study = get_study_for(request.user, name)
        try:
            studies.delete(
                study=study, typed=name, user=request.user, now=timezone.now()
            )
        except studies.StudyError as error:
            raise ValidationError(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)
