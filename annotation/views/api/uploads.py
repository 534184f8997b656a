"""The API that takes files of texts: the page's functions and permissions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import assistant, imports, surveys
from annotation.access import get_study_for
from annotation.assistant import recipes as saved_recipes
from annotation.imports import recipes
from evalapp.api.errors import REFUSED
from evalapp.api.parsers import MultiPartParser
from evalapp.limits.uploads import takes_files, too_large


class QuestionSerializer(serializers.Serializer):
    """Where the file can be read in two ways, which would store different numbers."""

    code = serializers.CharField(
        help_text="words, steps, far, decimal, ratings, parts, again, shape, texts,"
        " unplaced, rows, encoding, header or ids."
    )
    about = serializers.CharField(help_text="An aspect, a metric or a column.")
    sentence = serializers.CharField()
    table = serializers.DictField(help_text="Proposed numbers by answer.")
    examples = serializers.ListField(
        child=serializers.CharField(),
        help_text="To look at: pairs of text and value, or words in each encoding.",
    )
    counts = serializers.DictField(help_text="Cells with each answer.")
    alike = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Aspects or columns that it is asked about together, with the answers"
        " that each has. Empty: it is asked about `about` alone.",
    )


class QuestionsSerializer(serializers.Serializer):
    errors = serializers.ListField(child=serializers.CharField())
    questions = QuestionSerializer(many=True)


class UnusedSerializer(serializers.Serializer):
    reason = serializers.CharField(help_text="A code, such as not_placed.")
    n = serializers.IntegerField()
    words = serializers.CharField()


class AccountSerializer(serializers.Serializer):
    """Where the filled cells of a column went: `filled` is `used` and `not_used`."""

    column = serializers.CharField()
    role = serializers.CharField(help_text="What its cells became; empty: nothing.")
    filled = serializers.IntegerField()
    used = serializers.IntegerField()
    not_used = serializers.IntegerField()
    why = UnusedSerializer(many=True)


@takes_files
class UploadsApi(APIView):
    tag = "Texts"
    parser_classes = [MultiPartParser]

    class Input(serializers.Serializer):
        file = serializers.FileField()
        format = serializers.ChoiceField(choices=sorted(imports.FORMATS))
        systems = serializers.ChoiceField(choices=["by-order"], required=False)
        cut = serializers.IntegerField(min_value=1, required=False)
        map = serializers.JSONField(
            required=False,
            help_text='Roles by column, such as {"output": "text"}. Columns that it'
            " does not name are guessed.",
        )
        preset = serializers.ChoiceField(
            choices=sorted(imports.PRESETS),
            required=False,
            allow_blank=True,
            help_text="A ready mapping. Empty: none; left out: as recognised.",
        )
        values = serializers.JSONField(
            required=False,
            help_text="Numbers by answer and aspect, such as"
            ' {"coherence": {"Agree": 4, "99": ""}}; "" is no answer.',
        )
        decimal = serializers.ChoiceField(choices=["comma", "point"], required=False)
        again = serializers.ChoiceField(
            choices=["text", "first"],
            required=False,
            help_text="What the same words are that one rater has rated twice: another"
            " text, or the same one, of which the first rating counts.",
        )
        encoding = serializers.ChoiceField(
            choices=list(imports.ENCODINGS),
            required=False,
            help_text="How the characters of the file are written; else as recognised.",
        )
        recipe = serializers.CharField(
            max_length=recipes.LARGEST,
            required=False,
            help_text="Instead of map, preset, values and decimal: the name of a recipe"
            " that you have saved, or its JSON.",
        )
        yes = serializers.BooleanField(
            required=False,
            help_text="What is proposed as answers to questions is right.",
        )

    COUNTS = (
        "n_texts",
        "n_prompts",
        "n_systems",
        "n_ratings",
        "n_means",
        "n_respelled",
        "n_no_output",
    )
    Output = inline_serializer(
        "Upload",
        {
            "n_texts": serializers.IntegerField(),
            "n_prompts": serializers.IntegerField(),
            "n_systems": serializers.IntegerField(),
            "n_ratings": serializers.IntegerField(),
            "n_means": serializers.IntegerField(),
            "n_respelled": serializers.IntegerField(
                help_text="Texts that repeat their prefix in another case or with other"
                " white space: they have it once, as the prefix is spelled."
            ),
            "n_no_output": serializers.IntegerField(
                help_text="Empty texts, of systems that gave no output. No page shows"
                " them; metrics count them."
            ),
            "no_damaged_text": serializers.CharField(
                help_text="For which pages no damaged text can be made, and what would"
                " help. Empty: every page allows one."
            ),
            "notes": serializers.ListField(
                child=serializers.CharField(),
                help_text="What was passed over, and how the file was read.",
            ),
            "columns": AccountSerializer(many=True),
        },
    )

    @extend_schema(
        request=Input, responses={201: Output, 409: QuestionsSerializer, **REFUSED}
    )
    def post(self, request: Request, name: str) -> Response:
        """Upload texts

        System outputs, with ratings or means if there are any. The whole file is
        checked first: a bad one changes nothing and answers 400 with all its errors and
        their line numbers. One that can be read in two ways changes nothing either:
        it answers 409 with questions. Send it again with `values`, `map`, `decimal`,
        `again`, `encoding` or `preset`, or with `yes` if what is proposed is right.
        """
        study = get_study_for(request.user, name)
        wanted = self.Input(data=request.data)
        if getattr(request, "upload_refused", False):  # else it would look forgotten
            raise ValidationError(too_large())
        wanted.is_valid(raise_exception=True)
        options = dict(wanted.validated_data)
        file, kind = options.pop("file"), options.pop("format")
        options |= _recipe(request, options)
        options["guess"] = "map" in options and "recipe" not in wanted.validated_data
        given = {"format": kind, "file": file, "file_name": file.name}
        try:
            with assistant.alone(request.user):
                result = imports.into(
                    study=study, options=options, user=request.user, **given
                )
        except assistant.Busy as error:
            raise Throttled(detail=str(error)) from error
        except imports.Asked as error:
            return _asked(error.questions)
        except imports.UploadError as error:
            raise ValidationError(error.lines) from error
        found = self.Output.to_representation(
            {
                **{name: getattr(result, name) for name in self.COUNTS},
                "no_damaged_text": surveys.what_cannot_be_damaged(study=result.study),
                "notes": list(result.notes),
                "columns": [entry.plain() for entry in result.account],
            }
        )
        return Response(found, status.HTTP_201_CREATED)


def _recipe(request: Request, options: dict[str, Any]) -> dict[str, Any]:
    """What a recipe chooses, taken out of the options."""
    said = options.pop("recipe", None)
    if said is None:
        return {}
    if both := [name for name in recipes.TAKEN if name in options]:
        raise ValidationError(f"recipe says all of that: leave out {', '.join(both)}.")
    try:
        if said.startswith("{"):
            recipe = recipes.read(said)
        else:
            recipe = saved_recipes.named(user=request.user, name=said)
    except imports.UploadError as error:
        raise ValidationError(error.lines) from error
    return recipes.options_of(recipe)


def _asked(questions: Sequence[imports.Question]) -> Response:
    told = {
        "errors": [question.sentence for question in questions],
        "questions": [question.plain() for question in questions],
    }
    found = QuestionsSerializer().to_representation(told)
    return Response(found, status.HTTP_409_CONFLICT)
