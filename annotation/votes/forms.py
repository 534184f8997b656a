from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Study, System
from evalapp.limits import forms as storable_forms


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
