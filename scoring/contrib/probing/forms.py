"""The form that starts probes of a corpus."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring.contrib.probing import protocols as probes
from scoring.contrib.probing import starting
from scoring.corpora import categories
from scoring.drawing.words import sentence
from scoring.metrics import OptionField, embeddings
from scoring.scores import allowed_models, models_here

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
        error_messages={"required": "Choose one or more."},
    )
    models = forms.MultipleChoiceField(
        label="Encoders",
        widget=NAMED,
        initial=[starting.ENCODER],
        help_text="With several, each gets its own row or line.",
        error_messages={"required": "Choose one or more."},
    )
    other_model = forms.CharField(
        label="Another encoder",
        required=False,
        max_length=200,
        help_text="The name of a model on the Hugging Face hub.",
    )
    pooling = forms.ChoiceField(
        label="Pooling",
        choices=list(zip(embeddings.POOLINGS, embeddings.POOLING_TITLES, strict=True)),
        help_text=sentence(embeddings.POOLING_HELP),
    )
    clusters = forms.CharField(
        label="Numbers of clusters K",
        required=False,
        max_length=200,
        help_text="Separated by commas. Perturbations use the largest. If left empty:"
        " 500 for perturbations, 5 to 500 for the others. K is at most the number of"
        " texts, and for perturbations a tenth of it.",
    )
    seeds = forms.IntegerField(
        label="Seeds",
        initial=5,
        min_value=1,
        max_value=starting.MOST_SEEDS,
        help_text="Each seed splits the corpus into other halves and clusters again.",
    )
    texts = forms.IntegerField(
        label="Most texts to use",
        initial=starting.USUAL_TEXTS,
        min_value=4,
        max_value=starting.MOST_TEXTS,
        help_text="A larger corpus is sampled. Perturbations embed each text about"
        " eight times.",
    )
    generator = forms.ChoiceField(
        label="Generator",
        required=False,
        help_text="A system whose texts become one more row in perturbations and"
        " numbers of clusters.",
    )
    attributes = forms.MultipleChoiceField(
        label="Attributes",
        required=False,
        widget=NAMED,
        help_text="Columns of the corpus. If you choose none, all are used. A column"
        " named split, with train and test, says which texts to learn from.",
    )
    learn_on = forms.ChoiceField(
        label="Learn clusters on",
        required=False,
        help_text="For attributes and surface: another corpus to cluster.",
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(data)
        self.fields["models"].choices = _encoders(study)
        if allowed_models.hub() == "off":
            del self.fields["other_model"]
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
        columns = sorted(categories(*corpora))
        self.fields["attributes"].choices = [
            (name, name) for name in columns if name != probes.SPLIT
        ]
        if not self.fields["attributes"].choices:
            del self.fields["attributes"]

    def options(self) -> dict[str, object]:
        """What was chosen; call it on a valid form."""
        own = ("corpus", "protocols", "other_model")
        found = {k: v for k, v in self.cleaned_data.items() if k not in own}
        other = self.cleaned_data.get("other_model", "").strip()
        found["models"] = [*found["models"], *([other] if other else [])]
        found["clusters"] = [v for v in re.split(r"[,\s]+", found["clusters"]) if v]
        return found

    def refuse(self, error: str) -> None:
        """Put what is said about an option beside that option's field."""
        named = re.match(r"(\w+)\b", error)
        name = named[1] if named and named[1] in self.fields else None
        self.add_error(name, error)


def _encoders(study: Study) -> list[tuple[str, str]]:
    """Models on this server that can embed texts."""
    option = OptionField(default=starting.ENCODER, takes=("encoder", "causal"))
    found = models_here.usable(models_here.here(study), option, "")
    small = {"bundled": ", bundled: small"}
    return [(one.value, one.title + small.get(one.place, "")) for one in found]
