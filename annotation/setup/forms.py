from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from annotation import page_kinds, studies
from annotation.models import Study
from evalapp.limits import forms as storable_forms

NONE = ("", "Nothing else")
OPTIONS = [option for kind in page_kinds.every() for option in kind.setup.options]


class OfKind(NamedTuple):
    """What only pages of one kind follow."""

    key: str
    title: str
    fields: list[forms.BoundField]
    form: page_kinds.OwnForm | None
    is_chosen: bool


class PageKindsForm(storable_forms.ModelForm):
    """Which pages workers get, part by part."""

    class Meta:
        model = Study
        fields = tuple(option.name for option in OPTIONS)
        labels = {option.name: option.label for option in OPTIONS}
        help_texts = {option.name: option.help_text for option in OPTIONS}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(kind.key, kind.words.label) for kind in page_kinds.every()]
        chosen = self.instance.page_kinds
        n_parts = len(kinds)
        for number in range(n_parts):
            first = number == 0
            self.fields[f"part_{number + 1}"] = forms.ChoiceField(
                label="Pages" if first else "Then",
                choices=kinds if first else [NONE, *kinds],
                required=first,
                initial=chosen[number] if number < len(chosen) else "",
            )
        self.order_fields(f"part_{number + 1}" for number in range(n_parts))
        data = self.data if self.is_bound else None
        self.own = {
            kind.key: form
            for kind in page_kinds.every()
            if (form := kind.setup.form(self.instance, data))
        }
        if self.instance.state != Study.State.DRAFT:
            for form in (self, *self.own.values()):
                for bound in form:
                    bound.field.disabled = True

    @property
    def parts(self) -> list[forms.BoundField]:
        return [self[f"part_{number + 1}"] for number in range(len(page_kinds.names()))]

    @property
    def of_kinds(self) -> list[OfKind]:
        return [
            OfKind(kind.key, kind.words.title, fields, form, kind.key in self.kinds())
            for kind in page_kinds.every()
            if (fields := [self[option.name] for option in kind.setup.options])
            or kind.key in self.own
            for form in [self.own.get(kind.key)]
        ]

    def kinds(self) -> list[str]:
        """As they stand in the form, known or not."""
        kinds = [str(field.value() or "") for field in self.parts]
        return [kind for kind in kinds if kind]

    @property
    def own_of_chosen(self) -> list[page_kinds.OwnForm]:
        return [form for key, form in self.own.items() if key in self.kinds()]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not all([form.is_valid() for form in self.own_of_chosen]):
            raise ValidationError("Correct the options of the kinds below.")
        if self.errors:
            return cleaned
        if reason := studies.why_not(study=self.instance, kinds=self.kinds()):
            raise ValidationError(reason)
        return cleaned

    def save_own(self) -> None:
        """After the others: these have tables of their own."""
        for form in self.own_of_chosen:
            form.save()

    def chosen(self) -> dict[str, Any]:
        """For `studies.choose_kinds`."""
        options = {name: self.cleaned_data[name] for name in self._meta.fields}
        return {"kinds": self.kinds(), "options": options}
