"""Who works on a study, and what becomes of it."""

from __future__ import annotations

from django import forms

from annotation.models import Member, Study
from evalapp.limits import forms as storable_forms

ROLES = [
    (Member.Role.VIEWER, "Viewer: reads everything, changes nothing"),
    (Member.Role.EDITOR, "Editor: changes the study and starts things"),
    (Member.Role.OWNER, "Owner: also decides on members, archives and deletes"),
]


class MemberForm(storable_forms.Form):
    who = forms.CharField(
        label="User name or e-mail address",
        max_length=254,
        help_text="The person must have an account here.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(choices=ROLES, initial=Member.Role.VIEWER)


class CopyForm(storable_forms.Form):
    name = forms.SlugField(
        label="Name of the copy",
        help_text="Used in URLs and file names: letters, digits, hyphens.",
    )
    texts = forms.TypedChoiceField(
        label="Texts",
        choices=[
            ("yes", "Copy the texts, prompts and references"),
            ("", "Leave the texts out"),
        ],
        coerce=bool,
        empty_value=False,
        required=False,
        initial="yes",
        widget=forms.RadioSelect,
    )


class DeleteForm(storable_forms.Form):
    typed = forms.CharField(
        max_length=100, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, *args: object, study: Study, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["typed"].label = f"Type {study.name} to confirm"

    def clean_typed(self) -> str:
        typed = self.cleaned_data["typed"].strip()
        if typed != self.study.name:
            raise forms.ValidationError(
                f"Type the name of the study, {self.study.name}, to delete it."
            )
        return typed
