from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from annotation.forms import too_large
from annotation.models import Study, System

NAME: dict[str, Any] = {
    "max_length": 64,
    "help_text": "For you: it stands in addresses and on the pages of runs. Letters,"
    " digits, hyphens, underscores.",
    "error_messages": {"invalid": "Use letters, digits, hyphens and underscores."},
}


class CorpusForm(forms.Form):
    """A file with human texts."""

    name = forms.SlugField(**NAME)
    # Last: when the file is too large, nothing that comes after it is read.
    file = forms.FileField(
        label="File", help_text="JSON lines or plain lines, packed with gzip or not."
    )

    def __init__(self, *args: Any, upload_refused: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.upload_refused = upload_refused
        if upload_refused:  # else it would look forgotten
            self.fields["file"].error_messages["required"] = too_large()

    def clean_file(self) -> UploadedFile:
        if self.upload_refused:
            raise ValidationError(too_large())
        return self.cleaned_data["file"]


class FromSystemForm(forms.Form):
    """What a system of the study wrote, often people."""

    system = forms.ModelChoiceField(
        System.objects.none(), to_field_name="name", empty_label=None
    )
    name = forms.SlugField(**NAME)

    def __init__(self, data: Any = None, *, study: Study) -> None:
        # The page has another form with a name: the prefix keeps their ids apart.
        super().__init__(data, prefix="from")
        systems = study.systems.order_by("-kind", "name")  # people first
        self.fields["system"].queryset = systems
