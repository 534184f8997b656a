"""What a researcher sets up before workers come, and what may still change after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from copy import copy
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet
from django.forms.models import BaseModelFormSet

from annotation import platforms, studies
from annotation.crowd import practice
from annotation.models import Aspect, Practice, Study
from annotation.page_kinds import PracticeTask
from annotation.page_kinds.practice import FormText, PracticePage, prompt_of
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
        fields = ("prefix", "source", "label", "attempts")
        widgets = {
            "prefix": forms.Textarea(attrs={"rows": 2}),
            "source": forms.Textarea(attrs={"rows": 3}),
        }
        labels = {
            "prefix": "Opening of the texts",
            "source": "Prompt or source of the texts",
            "label": "Feeling or topic to express",
            "attempts": "Attempts",
        }
        help_texts = {
            "prefix": "Every text continues from it. Empty: none.",
            "source": "Stands beside the texts, as on the pages. Empty: none.",
            "attempts": "Workers who have not passed by then get no page.",
        }


class PracticeTextForm(storable_forms.Form):
    """One practice text, and what the kind of page expects of it."""

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

    def __init__(
        self,
        *args: Any,
        page: PracticePage,
        task: PracticeTask,
        position: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        stored = self.initial.get("expected", {})
        text = str(self["text"].value() or "")
        of_form = FormText(position, self.prefix or "", text, stored)
        data = self.data if self.is_bound else None
        self.expectation = task.expectation(page, of_form, data)

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or self.cleaned_data
        for sentences in self.expectation.errors.values():
            for sentence in sentences:
                self.add_error(None, sentence)
        is_new = not self.initial.get("text")  # one that is emptied is dropped
        is_filled = cleaned.get("why") or not self.expectation.is_empty
        if is_new and not cleaned.get("text") and is_filled:
            self.add_error("text", "Enter the text that these answers belong to.")
        return cleaned

    def has_changed(self) -> bool:
        """Also where somebody filled in what is expected of no text."""
        return super().has_changed() or not self.expectation.is_empty

    def as_text(self) -> practice.Text:
        text, why = self.cleaned_data["text"], self.cleaned_data["why"]
        return practice.Text(text, self.expectation.expected(), why)


class BasePracticeTextFormSet(BaseFormSet):
    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        return {**super().get_form_kwargs(index), "position": (index or 0) + 1}


PracticeTextFormSet = forms.formset_factory(
    PracticeTextForm,
    formset=BasePracticeTextFormSet,
    extra=2,
    max_num=practice.MOST_TEXTS,
    validate_max=True,
    # A request that claims thousands must not make the server write them out.
    absolute_max=practice.MOST_TEXTS + 1,
)


def practice_texts(
    *,
    study: Study,
    task: PracticeTask,
    stored: Practice | None,
    form: PracticeForm,
    data: Mapping[str, str] | None,
) -> BaseFormSet:
    """The forms of the texts that there are, and two empty ones while there is room."""
    texts = PracticePage.of(stored).texts if stored else []
    prompt = prompt_of(Practice(prefix=_of(form, "prefix"), source=_of(form, "source")))
    page = PracticePage(study, prompt, texts)
    filled = PracticeTextFormSet(
        data,
        initial=[text._asdict() for text in texts],
        prefix="texts",
        form_kwargs={"page": page, "task": task},
    )
    if study.state != Study.State.DRAFT:
        filled.extra = 0
    return filled


def _of(form: PracticeForm, name: str) -> str:
    return str(form[name].value() or "")
