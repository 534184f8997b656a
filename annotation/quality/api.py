"""The API of quality control: the current policy, and a new version of it."""

from __future__ import annotations

from typing import Any

from django.forms.models import model_to_dict
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.models import Policy, Rejudging, Study
from annotation.quality import applying, rejudging
from annotation.quality.forms import PolicyForm
from evalapp.api.errors import REFUSED
from evalapp.api.parsers import JSONParser


class ApplyingSerializer(serializers.ModelSerializer):
    version = serializers.IntegerField(source="policy.version")

    class Meta:
        model = Rejudging
        fields = ["version", "state", "done", "total", "error"]
        read_only_fields = fields


class PolicySerializer(serializers.ModelSerializer):
    chosen = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text='Keys of aspects; counts where `on` is "chosen".',
    )

    damages = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Kinds of damage for pages that are drawn from now on; empty: all.",
    )

    # How far a worker is with checking submitted pages again, where there are many.
    applying = ApplyingSerializer(
        source="study.rejudging", read_only=True, allow_null=True, default=None
    )

    class Meta:
        model = Policy
        fields = ["version", *PolicyForm.Meta.fields, "created_at", "applying"]
        read_only_fields = ["version", "created_at", "applying"]


class PolicyChangeSerializer(PolicySerializer):
    all_pages = serializers.BooleanField(
        default=False,
        help_text="Check all submitted pages again, too, not only those to come.",
    )

    class Meta(PolicySerializer.Meta):
        fields = [*PolicyForm.Meta.fields, "all_pages"]


class QualityApi(APIView):
    tag = "Quality control"
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: PolicySerializer, **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """Read the quality control of a study

        The current version of its rules. null switches a check off.
        """
        study = get_study_for(request.user, name)
        return Response(PolicySerializer(study.current_policy()).data)

    @extend_schema(
        request=PolicyChangeSerializer(partial=True),
        responses={200: PolicySerializer, 202: PolicySerializer, **REFUSED},
    )
    def patch(self, request: Request, name: str) -> Response:
        """Change the quality control of a study

        Fields that are left out stay as they are. A change makes a new version, which
        checks the pages to come. With `all_pages`, a worker checks submitted pages
        again where there are many: the answer is then 202, and `applying` tells how
        many are done.
        """
        study = get_study_for(request.user, name)
        wanted = PolicyChangeSerializer(data=request.data, partial=True)
        wanted.is_valid(raise_exception=True)
        given = dict(wanted.validated_data)
        everywhere = given.pop("all_pages", False)
        form = PolicyForm(
            _as_sent(study, given), study=study, instance=study.current_policy()
        )
        if not form.is_valid():
            raise ValidationError(form.errors)
        save = applying.start if everywhere else rejudging.adopt
        asked = {"user": request.user, "now": timezone.now()}
        try:
            done = save(study=study, policy=form.policy(), **asked)
        except rejudging.Busy as busy:
            raise ValidationError(str(busy)) from busy
        code = status.HTTP_202_ACCEPTED if done is None else status.HTTP_200_OK
        return Response(PolicySerializer(study.current_policy()).data, status=code)


def _as_sent(study: Study, given: dict[str, Any]) -> dict[str, Any]:
    """What the page's form would send: it holds the same rules, and tells them."""
    values = model_to_dict(study.current_policy(), PolicyForm.Meta.fields) | given
    return {
        key: value for key, value in values.items() if value not in (None, False, "")
    }
