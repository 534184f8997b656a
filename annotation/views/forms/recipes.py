from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError

from evalapp.limits import forms as storable_forms


class RecipeForm(storable_forms.Form):
    """The name under which a recipe is saved."""

    name = forms.CharField(
        max_length=60,
        label="Name of the recipe",
        help_text="A recipe of yours that has this name already is replaced.",
        error_messages={"required": "Give the recipe a name, such as “our survey”."},
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name.startswith("{"):  # where a name is asked for, so is JSON
            raise ValidationError("The name of a recipe does not begin with {.")
        return name
