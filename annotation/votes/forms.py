from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Study, System
from annotation.votes import adding
from evalapp.limits import forms as storable_forms
from evalapp.limits.uploads import UploadForm


class VotesForm(UploadForm):
    """A file with votes on pairs of systems."""

    format = forms.ChoiceField(
        choices=[(name, format.title) for name, format in adding.FORMATS.items()]
    )
    create_systems = forms.BooleanField(
        label="Create the systems that the study does not have",
        required=False,
        help_text="If you leave this off, a file with an unknown system is refused,"
        " because its name may be a typo.",
    )
    # Last: see UploadForm.
    file = forms.FileField(label="File")


class KindsForm(storable_forms.Form):
    """Which systems are written by people."""

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
