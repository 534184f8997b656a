"""The form that starts probes of a corpus."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring.drawing.words import sentence
from scoring.metrics import embeddings, models
from scoring.probing import protocols as probes
from scoring.probing import starting

NAMED = forms.CheckboxSelectMultiple


class ProbesForm(storable_forms.Form):
    """What may be chosen, with what the study has. One probe for each protocol."""

    corpus = forms.ChoiceField(label="Corpus")
    protocols = forms.MultipleChoiceField(
        label="What to probe",
        widget=NAMED,
        choices=[
            (name, f"{probes.get(name).TITLE}: {probes.get(name).QUESTION}")
            for name in probes.NAMES
        ],
        error_messages={"required": "Choose one at least."},
    )
    models = forms.CharField(
        label="Encoders",
        max_length=1000,
        initial=starting.ENCODER,
        help_text=f"Each a {models.ENCODER_HELP}. Of several, with commas between,"
        " each has its own row or line.",
        widget=forms.TextInput(attrs={"list": "models"}),
    )
    pooling = forms.ChoiceField(
        label="Pooling",
        choices=[(name, name) for name in embeddings.POOLINGS],
        help_text=sentence(embeddings.POOLING_HELP),
    )
    clusters = forms.CharField(
        label="Numbers of clusters K",
        required=False,
        max_length=200,
        help_text="With commas between. Perturbations take the largest. Left empty: 500"
        " for perturbations, 5 to 500 for the others. K is never above the texts there"
        " are, for perturbations above a tenth of them.",
    )
    seeds = forms.IntegerField(
        label="Seeds",
        initial=5,
        min_value=1,
        max_value=starting.MOST_SEEDS,
        help_text="Each cuts the corpus into other halves and clusters anew.",
    )
    texts = forms.IntegerField(
        label="Texts at most",
        initial=starting.USUAL_TEXTS,
        min_value=4,
        max_value=starting.MOST_TEXTS,
        help_text="Of the corpus; a sample is drawn where it has more. Perturbations"
        " embed each text about eight times.",
    )
    generator = forms.ChoiceField(
        label="Generator",
        required=False,
        help_text="A system whose texts are one more row of perturbations and of"
        " numbers of clusters.",
    )
    attributes = forms.MultipleChoiceField(
        label="Attributes",
        required=False,
        widget=NAMED,
        help_text="Columns of the corpus. None chosen: all of them. A column split with"
        " train and test says which texts are which.",
    )
    learn_on = forms.ChoiceField(
        label="Learn clusters on",
        required=False,
        help_text="For attributes and surface: another corpus, as a divergence would"
        " have it.",
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(data)
        corpora = list(study.corpora.all())
        names = [(one.name, one.name) for one in corpora]
        self.fields["corpus"].choices = [
            (one.name, f"{one.name} ({one.n_texts:,} texts)") for one in corpora
        ]
        # The first by name may be a trial of a few texts.
        largest = max(corpora, key=lambda one: one.n_texts, default=None)
        self.fields["corpus"].initial = largest.name if largest else None
        self.fields["learn_on"].choices = [("", "no other corpus"), *names]
        systems = study.systems.values_list("name", flat=True)
        self.fields["generator"].choices = [
            ("", "none"),
            *((name, name) for name in systems),
        ]
        columns = sorted({name for one in corpora for name in one.attributes})
        self.fields["attributes"].choices = [
            (name, name) for name in columns if name != probes.SPLIT
        ]
        if not self.fields["attributes"].choices:
            del self.fields["attributes"]

    def options(self) -> dict[str, object]:
        """What was chosen; call it on a valid form."""
        own = ("corpus", "protocols")
        found = {k: v for k, v in self.cleaned_data.items() if k not in own}
        for name in ("models", "clusters"):
            found[name] = [v for v in re.split(r"[,\s]+", found[name]) if v]
        return found

    def refuse(self, error: str) -> None:
        """Put what is said about an option beside that option's field."""
        named = re.match(r"(\w+)\b", error)
        name = named[1] if named and named[1] in self.fields else None
        self.add_error(name, error)
