from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from annotation import studies
from annotation.models import AttributeLabel, Study, System
from annotation.models.studies import languages
from evalapp.limits import forms as storable_forms
from evalapp.limits.uploads import UploadForm

ACCEPT = ".csv,.tsv,.txt,.jsonl,.ndjson,.json,.xlsx,.parquet,.zip,.gz,.zst"


class TextFilter(storable_forms.Form):
    """Which texts a page shows. Lives in the address, so it can be bookmarked."""

    system = forms.ModelChoiceField(
        System.objects.none(), to_field_name="name", required=False, empty_label="All"
    )
    label = forms.ModelChoiceField(
        AttributeLabel.objects.none(),
        to_field_name="name",
        required=False,
        empty_label="All",
    )
    show = forms.ChoiceField(
        required=False,
        choices=[
            ("", "All"),
            ("reported", "Reported"),
            ("excluded", "Excluded"),
            ("unread", "Not reviewed"),
        ],
    )
    q = forms.CharField(
        label="Words", max_length=200, required=False, widget=forms.SearchInput
    )
    # Where other pages link to one text.
    key = forms.CharField(
        label="Text", max_length=200, required=False, widget=forms.HiddenInput
    )

    def __init__(self, *args, study: Study, **kwargs) -> None:
        super().__init__(*args, label_suffix="", use_required_attribute=False, **kwargs)
        self.fields["system"].queryset = study.systems.all()
        self.fields["label"].queryset = study.labels.all()


class FileForm(UploadForm):
    """A file with texts."""

    file = forms.FileField(
        label="File",
        widget=forms.FileInput(attrs={"accept": ACCEPT}),
        error_messages={"required": "Choose a file first."},
    )


class NewStudyForm(storable_forms.Form):
    """A study without texts."""

    name = forms.CharField(
        max_length=50,
        validators=[
            RegexValidator(
                rf"^(?:{studies.NAME.pattern})\Z",
                "Use letters, digits, hyphens and underscores.",
            )
        ],
        help_text="Used in URLs and file names. Letters, digits, hyphens, underscores.",
    )
    title = forms.CharField(
        max_length=200,
        required=False,
        help_text='What workers see; never name a system. Empty: "Rate texts".',
    )
    language = forms.ChoiceField(
        label="Language",
        choices=languages,
        initial="en",
        help_text="Of the pages that workers see.",
    )
    ratings_per_text = forms.IntegerField(
        initial=5, min_value=1, max_value=100, help_text="Each from a different person."
    )
    scale_min = forms.IntegerField(label="Scale from", initial=1, min_value=0)
    scale_max = forms.IntegerField(label="Scale to", initial=5, max_value=100)

    def clean_name(self) -> str:
        try:
            studies.check_name(self.cleaned_data["name"])
        except studies.StudyError as error:
            raise ValidationError(str(error)) from error
        return self.cleaned_data["name"]

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        low, high = cleaned.get("scale_min"), cleaned.get("scale_max")
        if low is not None and high is not None and low >= high:
            self.add_error("scale_max", "The highest value must be above the lowest.")
        return cleaned

    def study_fields(self) -> dict[str, Any]:
        return dict(self.cleaned_data)
