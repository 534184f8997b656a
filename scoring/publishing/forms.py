"""What only people know of a data set: whose it is, and what may be told."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring.archive import permission
from scoring.models import Publication

SHOWN = 300  # characters of a consent text: its page has all of it


class PublicationForm(storable_forms.ModelForm):
    """Of a study."""

    consents = forms.MultipleChoiceField(
        label="Which of these allow single ratings to be published?",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Choose a consent text only if it says so. All other ratings are"
        " published as means.",
    )

    paper = forms.URLField(
        label="Address of the paper", required=False, assume_scheme="https"
    )

    class Meta:
        model = Publication
        fields = ("licence", "authors", "affiliation", "paper", "ethics")
        widgets = {"authors": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, data: Any = None, *, study: Study) -> None:
        row, self.study = Publication.objects.filter(study=study).first(), study
        super().__init__(data, instance=row or Publication(study=study))
        found = [] if study.simulated else permission.consents(study=study)
        choices = [(one.digest, in_words(one)) for one in found if one.digest]
        if not choices:
            del self.fields["consents"]
            return
        self.fields["consents"].choices = choices
        self.initial["consents"] = [one.digest for one in found if one.allowed]

    def save(self, commit: bool = True) -> Publication:
        made = super().save(commit)
        if "consents" in self.fields:
            digests = self.cleaned_data["consents"]
            permission.allow(study=self.study, digests=digests)
        return made


def in_words(one: permission.Consent) -> str:
    """A consent text with how many people agreed to it."""
    if one.digest == permission.FILES:
        return "Ratings that came in files"
    raters = "1 worker" if one.n_raters == 1 else f"{one.n_raters:,} workers"
    words = " ".join(one.words.split()) or "a text that is no longer stored"
    short = words if len(words) <= SHOWN else f"{words[:SHOWN]}…"
    return f"{raters} agreed to: “{short}”"
