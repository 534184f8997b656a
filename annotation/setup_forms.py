"""What a researcher sets up before workers come, and what may still change after."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseModelFormSet

from annotation import studies
from annotation.models import Aspect, Study

HELP = {
    "instructions": "In Markdown: # heading, **bold**, - list, [words](https://…).",
    "consent": "In Markdown. The content warning and the contact are added below it.",
    "contact": "An email address where workers can ask, or withdraw.",
    "content_warning": "Shown before the first text. Empty: none.",
    "debrief": "In Markdown, added to what workers read at the end. That some texts "
    "were damaged on purpose is said already.",
    "ratings_per_text": "By as many different people.",
    "completion_code": "Shown at the end: workers give it to the platform.",
    "currency": "Three letters: USD, EUR, INR.",
}


class SettingsForm(forms.ModelForm):
    """What a study asks of whom. A field that its state has fixed cannot be changed."""

    class Meta:
        model = Study
        fields = (
            *("title", "instructions", "consent", "content_warning", "contact"),
            *("debrief", "scale_min", "scale_max"),
            *("ratings_per_text", "texts_per_survey", "max_pages"),
            *("lease_minutes", "spare_seats"),
            *("pay_per_page", "currency", "minutes_per_page", "pay_unused"),
            *("platform", "invited_only"),
            *("completion_code", "nothing_left_code", "screen_out_code"),
            "retention_days",
        )
        widgets = {
            "instructions": forms.Textarea(attrs={"rows": 8}),
            "consent": forms.Textarea(attrs={"rows": 6}),
            "debrief": forms.Textarea(attrs={"rows": 3}),
        }
        labels = {
            "debrief": "Last words",
            "scale_min": "Lowest answer",
            "scale_max": "Highest answer",
            "texts_per_survey": "Texts per page",
            "max_pages": "Most pages of one worker",
            "lease_minutes": "Minutes a page is kept",
            "minutes_per_page": "Expected minutes per page",
            "invited_only": "Only with an invite link",
            "nothing_left_code": "Code when nothing is left",
            "screen_out_code": "Code after the practice page",
            "retention_days": "Days to keep platform ids",
        }
        help_texts = HELP

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.changeable = studies.changeable(self.instance.state)
        for name, field in self.fields.items():
            field.disabled = name not in self.changeable
            # Compared is with what is stored, not with what a form says was there.
            field.show_hidden_initial = False

    def clean_currency(self) -> str:
        code = self.cleaned_data["currency"].strip().upper()
        if not (code.isascii() and code.isalpha() and len(code) == 3):
            raise ValidationError("Use the three letters of a currency: USD, EUR, INR.")
        return code

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        low, high = cleaned.get("scale_min"), cleaned.get("scale_max")
        has_scale = low is not None and high is not None
        if has_scale and (reason := studies.why_no_scale(self.instance, low, high)):
            self.add_error("scale_max", reason)
        if cleaned.get("invited_only") and cleaned.get("platform") not in (
            None,
            Study.Platform.DIRECT,
        ):
            title = Study.Platform.DIRECT.label
            self.add_error("invited_only", f'Invite links need the platform "{title}".')
        return cleaned

    def save(self, commit: bool = True) -> Study:
        # These fields only: the state, as read before, may have changed since.
        self.instance.save(update_fields=sorted(self.changeable))
        return self.instance


class AspectForm(forms.ModelForm):
    class Meta:
        model = Aspect
        fields = ("title", "question", "low", "middle", "high", "higher_is_better")
        labels = {
            "low": "Word for the lowest answer",
            "middle": "Word for the middle",
            "high": "Word for the highest answer",
            "higher_is_better": "The highest answer is the best one",
        }
        help_texts = {
            "question": "{label} stands for the feeling or topic that was asked for."
        }


class BaseAspectFormSet(BaseModelFormSet):
    """The study's questions, in order, and an empty form for one more."""

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        super().__init__(
            *args, queryset=study.aspects.all(), prefix="aspects", **kwargs
        )
        self.fixed = study.state != Study.State.DRAFT
        if self.fixed:
            self.extra = 0

    def add_fields(self, form: forms.ModelForm, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["ORDER"].label = "Position"
        if "DELETE" in form.fields:
            form.fields["DELETE"].label = "Remove this question"
        for name, field in form.fields.items():
            field.disabled = self.fixed and name != "id"

    def clean(self) -> None:
        super().clean()
        if any(self.errors):
            return
        n_left = len(self.ordered_forms)
        if not n_left:
            raise ValidationError("A study needs at least one question.")
        if n_left > studies.MOST_ASPECTS:
            raise ValidationError(
                f"{n_left} questions, {studies.MOST_ASPECTS} are the most."
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
