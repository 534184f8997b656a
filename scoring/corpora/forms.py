from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Study, System
from evalapp.limits import forms as storable_forms
from evalapp.limits.uploads import UploadForm

NAME: dict[str, Any] = {
    "max_length": 64,
    "help_text": "Used in URLs and on pages of runs. Letters, digits, hyphens and"
    " underscores.",
    "error_messages": {"invalid": "Use letters, digits, hyphens and underscores."},
}


class CorpusForm(UploadForm):
    """A file with human texts."""

    name = forms.SlugField(**NAME)
    # Last: see UploadForm.
    file = forms.FileField(
        label="File",
        help_text="JSON Lines or one text per line, also compressed with gzip.",
    )


class FromSystemForm(storable_forms.Form):
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
