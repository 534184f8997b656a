"""The API of studies, texts and human scores: the pages' functions and permissions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import exports, page_kinds, studies, surveys
from annotation.access import get_study_for
from annotation.archive.columns import API
from annotation.archive.texts import TEXTS
from annotation.exports.api import RowsApi, serializer
from annotation.kept import is_large
from annotation.models import Aspect, AttributeLabel, Member, Opening, Study
from annotation.page_kinds import all_scores
from annotation.studies.settings import ON_THE_PAGE, SETTINGS
from evalapp.api.errors import REFUSED, Errors
from evalapp.api.pages import Pages
from evalapp.api.parsers import JSONParser


class AspectSerializer(serializers.ModelSerializer):
    class Meta:
        model = Aspect
        fields = (
            "key title question pair_question kind scale_min scale_max low middle high"
            " words cannot_say level about higher_is_better"
        ).split()
        extra_kwargs = {
            name: {"required": False} for name in fields if name not in ("key",)
        }


class LabelSerializer(serializers.ModelSerializer):
    verbalizers = serializers.ListField(child=serializers.CharField(), required=False)

    class Meta:
        model = AttributeLabel
        fields = ["name", "verbalizers"]


class PageKinds(serializers.ListField):
    """Kinds of pages, each once."""

    child = serializers.CharField()

    def run_validation(self, data: Any = serializers.empty) -> Any:
        kinds = super().run_validation(data)
        if reason := studies.wrong_kinds(kinds=kinds):
            raise ValidationError(reason)
        return kinds


class OpeningSerializer(serializers.ModelSerializer):
    class Meta:
        model = Opening
        fields = ["state", "done", "total", "error"]
        read_only_fields = fields


SECRETS = [setting.name for setting in ON_THE_PAGE if setting.secret]
UNKNOWN = "A study has no such field."
OF_SETTINGS = {
    setting.name: {"label": setting.label, "help_text": setting.help}
    | ({"allow_null": True} if setting.secret else {})  # to viewers it is null
    for setting in ON_THE_PAGE
}


def read_all(read: Callable[[Any], Any], data: Any, reasons: Mapping[str, str]) -> Any:
    """What `read` makes of the data; or all that is wrong with it, at once."""
    try:
        values = read(data)
    except ValidationError as error:
        raise ValidationError({**error.detail, **reasons}) from error
    if reasons:
        raise ValidationError(reasons)
    return values


class StudySerializer(serializers.ModelSerializer):
    aspects = AspectSerializer(many=True, required=False)
    labels = LabelSerializer(many=True, required=False)
    worker_url = serializers.CharField(source="get_worker_url", read_only=True)
    # How far a worker is with drawing the pages, where there are many.
    opening = OpeningSerializer(read_only=True, allow_null=True, default=None)
    role = serializers.ChoiceField(
        Member.Role.choices, read_only=True, help_text="What you may do in it."
    )

    page_kinds = PageKinds(
        required=False,
        help_text="In the order in which workers get them; of"
        f" {', '.join(page_kinds.names())}.",
    )

    class Meta:
        model = Study
        fields = [
            *("name", "state", "simulated", *SETTINGS, "aspects", "labels"),
            *("worker_url", "opening", "role", "created_at", "archived_at"),
        ]
        read_only_fields = ["state", "simulated", "archived_at"]
        # studies.create says it in its own words, the same as on the page.
        extra_kwargs = {"name": {"validators": []}, **OF_SETTINGS}
        validators: list[Any] = []

    def to_internal_value(self, data: Any) -> Any:
        sent = [*data] if isinstance(data, Mapping) else []
        unknown = {name: UNKNOWN for name in sent if name not in self.fields}
        return read_all(super().to_internal_value, data, unknown)

    def to_representation(self, instance: Study) -> dict[str, Any]:
        answer = super().to_representation(instance)
        if not instance.sees_people:
            answer |= dict.fromkeys(SECRETS)
        return answer


class StudiesApi(generics.ListCreateAPIView):
    tag = "Studies"
    serializer_class = StudySerializer
    queryset = Study.objects.none()
    # Lists and options in a form would be left out without a word.
    parser_classes = (JSONParser,)

    def get_queryset(self):
        visible = Study.objects.visible_to(self.request.user)
        return visible.select_related("opening").prefetch_related("aspects", "labels")

    def perform_create(self, serializer: StudySerializer) -> None:
        fields = dict(serializer.validated_data)
        labels = {
            label["name"]: label.get("verbalizers", [])
            for label in fields.pop("labels", [])
        }
        try:
            made = studies.create(owner=self.request.user, labels=labels, **fields)
        except studies.StudyError as error:
            raise ValidationError(str(error)) from error
        serializer.instance = get_study_for(self.request.user, made.name)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List studies

        Those that you are a member of, and for staff all. Deleted ones are left out.
        """
        return super().get(request, *args, **kwargs)

    @extend_schema(responses={201: StudySerializer, 400: Errors})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Create a study

        It is a draft, and you are its owner. Without `aspects` it gets coherence,
        consistency and attribute relevance.
        """
        return super().post(request, *args, **kwargs)


class StateApi(APIView):
    tag = "Studies"

    CHANGES = {
        Study.State.OPEN: surveys.start_opening,
        Study.State.PAUSED: surveys.pause,
        Study.State.CLOSED: surveys.close,
    }
    Input = inline_serializer(
        "State", {"state": serializers.ChoiceField(["open", "paused", "closed"])}
    )

    @extend_schema(
        request=Input,
        responses={200: StudySerializer, 202: StudySerializer, **REFUSED},
    )
    def post(self, request: Request, name: str) -> Response:
        """Open, pause or close a study

        A large study is opened by a worker: the answer is then 202, and `opening` tells
        how many of its pages are drawn.
        """
        study = get_study_for(request.user, name)
        wanted = type(self.Input)(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            change = self.CHANGES[wanted.validated_data["state"]]
            asked = change(study=study, user=request.user)
        except surveys.TransitionError as error:
            raise ValidationError(str(error)) from error
        study = get_study_for(request.user, name)
        code = status.HTTP_200_OK if asked is None else status.HTTP_202_ACCEPTED
        return Response(StudySerializer(study).data, status=code)


TextSerializer = serializer("Generation", TEXTS)


class GenerationsApi(RowsApi):
    tag = "Texts"

    @extend_schema(responses={200: TextSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List texts

        In the order in which they came.
        """
        study = get_study_for(request.user, name)
        texts = exports.texts_of(study)
        return self.page(request, texts, lambda page: TEXTS.rows(page, API))


class HumanScoresApi(APIView):
    tag = "Ratings and scores"

    Row = inline_serializer(
        "HumanScore",
        {
            "generation": serializers.CharField(),
            "aspect": serializers.CharField(),
            "mean": serializers.FloatField(),
            "n_ratings": serializers.IntegerField(allow_null=True),
        },
        many=True,
    )

    @extend_schema(responses={200: Row, **REFUSED})
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """List mean ratings

        The mean valid rating of each text and aspect; where errors are marked, also
        the means of what they add up to, named as an aspect. A missing one is left
        out, never 0. With `limit` or `offset`, of so many texts only.
        """
        study = get_study_for(request.user, name)
        if {"limit", "offset"} & {*request.query_params}:
            some = study.generations.order_by("pk").values_list("pk", "key")
            page = Pages().paginate_queryset(some, request, view=self)
            return Response(_human_scores(study, dict(page)))
        parts = _in_parts(study)
        if not is_large(study):
            return Response([row for part in parts for row in part])
        # As they are found: together they would take long to begin.
        return StreamingHttpResponse(_as_list(parts), content_type="application/json")


def _in_parts(study: Study) -> Iterator[list[dict[str, object]]]:
    for texts in exports.in_parts(study):
        yield _human_scores(study, {text.pk: text.key for text in texts})


def _human_scores(study: Study, keys: dict[int, str]) -> list[dict[str, object]]:
    """Of these texts, in their order."""
    measures = page_kinds.measures(study)
    scores = all_scores.means(study=study, measures=measures, generations=[*keys])
    return [
        {
            "generation": keys[int(scores.generations[i])],
            "aspect": scores.aspects[j],
            "mean": float(scores.values[i, j]),
            "n_ratings": int(scores.n_ratings[i, j]) or None,
        }
        for i, j in np.argwhere(~np.isnan(scores.values))
    ]


def _as_list(parts: Iterable[list[dict[str, object]]]) -> Iterator[bytes]:
    """Their rows as one list in JSON."""
    begun = False
    yield b"["
    for part in parts:
        rows = JSONRenderer().render(part)[1:-1]
        yield b"," + rows if begun and rows else rows
        begun = begun or bool(rows)
    yield b"]"
