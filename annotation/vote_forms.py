from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from annotation import votes
from annotation.forms import too_large
from annotation.models import Study, System


class VotesForm(forms.Form):
    """A file with votes on pairs of systems."""

    format = forms.ChoiceField(
        choices=[(name, format.title) for name, format in votes.FORMATS.items()]
    )
    create_systems = forms.BooleanField(
        label="Create the systems that the study does not have",
        required=False,
        help_text="Else a file that names one is refused: it may be a typing error.",
    )
    # Last: when the file is too large, nothing that comes after it is read.
    file = forms.FileField(label="File")

    def __init__(self, *args: Any, upload_refused: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.upload_refused = upload_refused
        if upload_refused:  # else it would look forgotten
            self.fields["file"].error_messages["required"] = too_large()

    def clean_file(self) -> UploadedFile:
        if self.upload_refused:
            raise ValidationError(too_large())
        return self.cleaned_data["file"]


class KindsForm(forms.Form):
    """Which systems are people."""

    human = forms.ModelMultipleChoiceField(
        System.objects.none(),
        to_field_name="name",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Written by people",
    )

    def __init__(self, data: Any = None, *, study: Study) -> None:
        super().__init__(data)
        human = study.systems.filter(kind=System.Kind.HUMAN)
        self.fields["human"].queryset = study.systems.all()
        self.fields["human"].initial = list(human.values_list("name", flat=True))
