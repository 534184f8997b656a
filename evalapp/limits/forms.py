"""Forms whose words can be stored: every form of a page is one of these."""

from __future__ import annotations

from django import forms

from annotation import storable


class Storable(forms.BaseForm):
    def _clean_fields(self) -> None:
        super()._clean_fields()
        for name, value in list(self.cleaned_data.items()):
            if said := storable.problem_in(value):
                self.add_error(name, f"This {said}. Delete that character.")


class Form(Storable, forms.Form):
    """Django's own, with words that can be stored."""


class ModelForm(Storable, forms.ModelForm):
    """Django's own, with words that can be stored."""
