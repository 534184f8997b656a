from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.kinds.yes_no.models import DoubtWords
from django import forms

from annotation.kinds._setup import TextSetup
from annotation.models import Study


class DoubtForm(forms.ModelForm):
    template = "annotation/setup/_own_form.html"

    class Meta:
        model = DoubtWords
        fields = ("words",)


class YesNoSetup(TextSetup):
    def form(self, study: Study, data: Mapping[str, Any] | None) -> DoubtForm:
        row = DoubtWords.objects.filter(study=study).first()
        row = row or DoubtWords(study=study, words="I am not sure")
        return DoubtForm(data, instance=row, prefix="yes_no")
