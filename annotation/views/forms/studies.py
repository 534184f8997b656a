from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from annotation import imports, studies
from annotation.models import AttributeLabel, Study, System
from evalapp.limits import forms as storable_forms
from evalapp.limits.uploads import UploadForm


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
    """A file with texts and the options of its format."""

    file = forms.FileField(label="File")
    format = forms.ChoiceField(initial="csv")
    systems = forms.ChoiceField(
        required=False,
        choices=[("", "as named in the file"), ("by-order", "by the order of rows")],
        help_text="By order: for files that name no systems but list them in turn.",
    )
    cut = forms.IntegerField(
        label="Words to keep of each text",
        required=False,
        min_value=1,
        max_value=10_000,
        help_text="Empty: all. With a number, an unfinished last sentence is dropped "
        "too; the CTRLEval paper kept 80.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = [
            (name, format.title) for name, format in imports.FORMATS.items()
        ]

    def options(self) -> dict[str, object]:
        return {name: self.cleaned_data[name] for name in ("systems", "cut")}


class NewStudyForm(FileForm):
    """A study, empty or made of a file."""

    name = forms.CharField(
        max_length=50,
        validators=[
            RegexValidator(
                rf"^(?:{studies.NAME.pattern})\Z",
                "Use letters, digits, hyphens and underscores.",
            )
        ],
        help_text="For you: it stands in addresses and files. Letters, digits, "
        "hyphens, underscores.",
    )
    title = forms.CharField(
        max_length=200,
        required=False,
        help_text='What workers see; never name a system. Empty: "Rate texts".',
    )
    ratings_per_text = forms.IntegerField(
        initial=5, min_value=1, max_value=100, help_text="By as many different people."
    )
    scale_min = forms.IntegerField(label="Scale from", initial=1, min_value=0)
    scale_max = forms.IntegerField(label="Scale to", initial=5, max_value=100)

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = False

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
            self.add_error("scale_max", "The scale must go up.")
        return cleaned

    def study_fields(self) -> dict[str, Any]:
        names = ("title", "ratings_per_text", "scale_min", "scale_max")
        return {name: self.cleaned_data[name] for name in names}

    def options(self) -> dict[str, object]:
        given = self.cleaned_data
        return {
            **super().options(),
            "title": given["title"],
            "ratings_per_text": given["ratings_per_text"],
            "scale": f"{given['scale_min']}-{given['scale_max']}",
        }
