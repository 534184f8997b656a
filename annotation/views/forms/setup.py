"""What a researcher sets up before workers come, and what may still change after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from copy import copy

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseModelFormSet

from annotation import platforms, studies
from annotation.crowd import practice
from annotation.models import Aspect, Practice, Study
from annotation.setup.questions import LABEL
from annotation.studies.settings import ON_THE_PAGE, why_fixed
from evalapp import doors
from evalapp.limits import forms as storable_forms


class SettingsForm(storable_forms.ModelForm):
    """What a study asks of whom. A field that its state has fixed cannot be changed."""

    class Meta:
        model = Study
        fields = tuple(setting.name for setting in ON_THE_PAGE)
        widgets = {
            setting.name: forms.Textarea(attrs={"rows": setting.lines})
            for setting in ON_THE_PAGE
            if setting.lines
        }
        labels = {setting.name: setting.label for setting in ON_THE_PAGE}
        help_texts = {setting.name: setting.help for setting in ON_THE_PAGE}

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["platform"].choices = [
            (name, label)
            for name, label in platforms.offers()
            if doors.is_open(platforms.PLATFORMS[name].door)
            or name == self.instance.platform
        ]
        for name, field in self.fields.items():
            field.disabled = bool(why_fixed(name, self.instance.state))
            # Compared is with what is stored, not with what a form says was there.
            field.show_hidden_initial = False

    def clean(self) -> dict[str, object]:
        """The settings are checked on the study as it would be."""
        cleaned = super().clean()
        study = copy(self.instance)
        for name, value in studies.as_stored(cleaned).items():
            setattr(study, name, value)
        for name, reason in studies.problems(study).items():
            self.add_error(name, reason)
        return cleaned

    def rows(self) -> dict[str, list[list[forms.BoundField]]]:
        """Its fields as they stand on the page, by group."""
        groups: dict[str, list[list[forms.BoundField]]] = defaultdict(list)
        for setting in ON_THE_PAGE:
            if not setting.beside:
                groups[setting.group].append([])
            groups[setting.group][-1].append(self[setting.name])
        return dict(groups)

    def changes(self) -> dict[str, object]:
        """For `studies.change_settings`."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


MAY_BE_LEFT_OUT = ("kind", "level", "about")  # then they stay as they are


class AspectForm(storable_forms.ModelForm):
    """A question with its scale."""

    words = forms.CharField(
        label="Labels of other answers",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=2_000,
        required=False,
        help_text="One per line, the number first: 2 Poor.",
    )

    class Meta:
        model = Aspect
        fields = (
            *("title", "question", "pair_question"),
            *("kind", "scale_min", "scale_max"),
            *("low", "middle", "high", "words"),
            *("cannot_say", "level", "about", "higher_is_better"),
        )
        labels = {
            "pair_question": "Question on two texts",
            "about": "Asked of",
            "kind": "Answer by",
            "scale_min": "Lowest answer",
            "scale_max": "Highest answer",
            "low": "Label of the lowest answer",
            "middle": "Label of the middle answer",
            "high": "Label of the highest answer",
            "cannot_say": "Offer “Cannot say”",
            "level": "Level of measurement",
            "higher_is_better": "The highest answer is the best",
        }
        help_texts = {
            "question": "{label} stands for what the text should express.",
            "pair_question": "Ask which text is better. Empty: a standard question.",
            "scale_min": "Empty: as for the whole study.",
            "scale_max": "2 to 11 points. Not used with a slider.",
            "middle": "Not used with a slider.",
            "cannot_say": "It counts as answered, but never as a number.",
            "about": "On pages with dialogues.",
            "level": "Krippendorff’s alpha uses it. Sliders are usually interval.",
        }

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.initial["words"] = studies.written_words(self.instance.words)
        for name in MAY_BE_LEFT_OUT:
            self.fields[name].required = False

    def clean_words(self) -> dict[str, str]:
        try:
            return studies.read_words(self.cleaned_data["words"])
        except studies.ScaleError as error:
            raise ValidationError(str(error)) from error

    def clean(self) -> dict[str, object]:
        """The scale is checked on the question as it would be."""
        cleaned = super().clean()
        if self.errors:
            return cleaned
        asked = copy(self.instance)
        for name in set(self._meta.fields) & set(cleaned):
            if cleaned[name] or name not in MAY_BE_LEFT_OUT:
                setattr(asked, name, cleaned[name])
        try:
            studies.settle(asked)
        except studies.ScaleError as error:
            self.add_error(error.field, str(error))
            return cleaned
        if asked.pk and (reason := studies.why_no_other(asked)):
            self.add_error("scale_max", reason)
        moved = asked.pk and asked.about != self.instance.about
        if moved and (reason := studies.why_aspect_stays(self.instance)):
            self.add_error("about", reason)
        own = set(self._meta.fields) & set(cleaned)
        return cleaned | {name: getattr(asked, name) for name in own}


class BaseAspectFormSet(BaseModelFormSet):
    """The study's questions, in order, and an empty form for one more."""

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        super().__init__(
            *args, queryset=study.aspects.all(), prefix="aspects", **kwargs
        )
        self.fixed = study.state != Study.State.DRAFT
        self.has_labels = study.labels.exists()
        self.without = [
            *(() if study.compares_texts else ("pair_question",)),
            *(() if study.dialogues.exists() else ("about",)),
        ]
        if self.fixed:
            self.extra = 0

    def add_fields(self, form: forms.ModelForm, index: int | None) -> None:
        super().add_fields(form, index)
        form.instance.study = self.study  # whose scale it may have
        form.fields["ORDER"].label = "Position"
        if "DELETE" in form.fields:
            form.fields["DELETE"].label = "Remove this question"
        for name in self.without:
            del form.fields[name]
        if not (self.has_labels or LABEL in form.instance.question):
            form.fields["question"].help_text = ""
        for name, field in form.fields.items():
            field.disabled = self.fixed and name != "id"

    def clean(self) -> None:
        super().clean()
        # A form that came without its own fields has no order to look at.
        if any(self.errors) or not self.management_form.is_valid():
            return
        n_left = len(self.ordered_forms)
        if not n_left:
            raise ValidationError("A study needs at least one question.")
        if n_left > studies.MOST_ASPECTS:
            raise ValidationError(
                f"{n_left} questions are too many: a study can have"
                f" {studies.MOST_ASPECTS}."
            )
        for form in self.deleted_forms:
            if reason := studies.why_aspect_stays(form.instance):
                raise ValidationError(reason)

    def save(self, commit: bool = True) -> None:
        """Inside a transaction."""
        studies.arrange_aspects(
            study=self.study,
            kept=[form.instance for form in self.ordered_forms],
            removed=[form.instance for form in self.deleted_forms],
        )


AspectFormSet = forms.modelformset_factory(
    Aspect,
    form=AspectForm,
    formset=BaseAspectFormSet,
    extra=1,
    can_order=True,
    can_delete=True,
    can_delete_extra=False,
)


class PracticeForm(storable_forms.ModelForm):
    class Meta:
        model = Practice
        fields = ("prefix", "label", "attempts")
        widgets = {"prefix": forms.Textarea(attrs={"rows": 2})}
        labels = {
            "prefix": "Opening of the texts",
            "label": "Feeling or topic to express",
            "attempts": "Attempts",
        }
        help_texts = {
            "prefix": "Every text continues from it. Empty: none.",
            "attempts": "Workers who have not passed by then get no page.",
        }


class PracticeTextForm(storable_forms.Form):
    """One practice text; per aspect, the range of answers that passes."""

    text = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000, required=False
    )
    why = forms.CharField(
        label="Why these answers",
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2_000,
        required=False,
        help_text="Workers read this after an attempt.",
    )

    def __init__(self, *args, study: Study, aspects: list[Aspect], **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.aspects = aspects
        for aspect in aspects:
            for end in ("from", "to"):
                self.fields[f"{aspect.key}-{end}"] = _end_of_range(aspect, end)

    def ranges(self) -> list[tuple[Aspect, forms.BoundField, forms.BoundField]]:
        return [
            (aspect, self[f"{aspect.key}-from"], self[f"{aspect.key}-to"])
            for aspect in self.aspects
        ]

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        for aspect, low, high in self.ranges():
            ends = cleaned.get(low.name), cleaned.get(high.name)
            if None not in ends and ends[0] > ends[1]:
                self.add_error(
                    high.name,
                    f"{aspect.title}: “to” must not be below “from”.",
                )
        is_new = not self.initial.get("text")  # one that is emptied is dropped
        if is_new and not cleaned.get("text") and any(cleaned.values()):
            self.add_error("text", "Enter the text that these answers belong to.")
        return cleaned

    def as_text(self) -> practice.Text:
        """A range with one open end reaches to the end of the scale."""
        given, expected = self.cleaned_data, {}
        for aspect, low, high in self.ranges():
            ends = given[low.name], given[high.name]
            if ends != (None, None):
                expected[aspect.key] = (
                    aspect.scale[0] if ends[0] is None else ends[0],
                    aspect.scale[-1] if ends[1] is None else ends[1],
                )
        return practice.Text(given["text"], expected, given["why"])


def _end_of_range(aspect: Aspect, end: str) -> forms.Field:
    label = f"{aspect.title} {end}"
    if aspect.is_slider:
        low, high = aspect.ends
        return forms.IntegerField(
            label=label, min_value=low, max_value=high, required=False
        )
    return forms.TypedChoiceField(
        label=label,
        choices=[("", "any"), *((value, str(value)) for value in aspect.scale)],
        coerce=int,
        empty_value=None,
        required=False,
    )


PracticeTextFormSet = forms.formset_factory(
    PracticeTextForm,
    extra=2,
    max_num=practice.MOST_TEXTS,
    validate_max=True,
    # A request that claims thousands must not make the server write them out.
    absolute_max=practice.MOST_TEXTS + 1,
)


def practice_texts(
    study: Study, page: Practice | None, data: Mapping[str, str] | None
) -> forms.BaseFormSet:
    """The forms of the texts that there are, and two empty ones while there is room."""
    texts = page.texts.all() if page else []
    initial = [
        {"text": text.text, "why": text.why, **_ends(text.expected)} for text in texts
    ]
    made = PracticeTextFormSet(
        data,
        initial=initial,
        prefix="texts",
        form_kwargs={"study": study, "aspects": list(study.aspects.all())},
    )
    if study.state != Study.State.DRAFT:
        made.extra = 0
    return made


def _ends(expected: Mapping[str, practice.Range]) -> dict[str, int]:
    return {
        f"{key}-{end}": value
        for key, range_ in expected.items()
        for end, value in zip(("from", "to"), range_, strict=True)
    }
