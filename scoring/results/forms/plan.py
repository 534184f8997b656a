"""The form of a study's plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring import metrics
from scoring.evaluators import tables
from scoring.metrics import Metric, OptionError, Output
from scoring.models import Plan
from scoring.results import plan as planning
from scoring.results import study_arrays
from scoring.results.plan import GROUPINGS
from scoring.stats.correlation import COEFFICIENTS

MOST_METRICS = 50
SPARE_ROWS = 3


class PlanForm(storable_forms.ModelForm):
    """All of a plan but its metrics."""

    class Meta:
        model = Plan
        fields = ("aspect", "coefficient", "grouping", "note")
        labels = {"aspect": "Primary aspect", "grouping": "Compare texts"}
        help_texts = {
            "aspect": "The aspect whose correlation you will report.",
            "note": "What else you decide now: hypotheses, exclusions, when to stop.",
        }
        widgets = {"note": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(key, planning.COEFFICIENTS[key]) for key in COEFFICIENTS]
        self.fields["coefficient"] = forms.ChoiceField(choices=names)
        self.fields["grouping"] = forms.ChoiceField(
            choices=list(GROUPINGS.items()), label="Compare texts"
        )
        aspect = self.fields["aspect"]
        aspect.queryset, aspect.empty_label = study.aspects.all(), None


class PlannedMetric(storable_forms.Form):
    """One output of a metric. A row without one is left out."""

    output = forms.ChoiceField(label="Metric", required=False)
    options = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.TextInput(attrs={"class": "code", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, choices: list, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["output"].choices = [("", "no metric"), *choices]

    def clean_options(self) -> dict[str, object]:
        text = self.cleaned_data["options"].strip()
        try:
            found = json.loads(text or "{}")
        except ValueError as error:
            raise ValidationError(f"This is not valid JSON: {error}.") from error
        if not isinstance(found, dict):
            raise ValidationError('Name each option: {"model": "bundled:infill-small"}')
        return found

    def planned(self) -> dict[str, object] | None:
        """What a plan keeps of it."""
        metric, _, output = self.cleaned_data.get("output", "").partition(":")
        options = self.cleaned_data.get("options", {})
        return (
            {"metric": metric, "output": output, "options": options} if output else None
        )


MetricRows = forms.formset_factory(
    PlannedMetric, extra=SPARE_ROWS, max_num=MOST_METRICS, absolute_max=MOST_METRICS
)


def metric_rows(study: Study, plan: Plan | None, data: Any = None) -> forms.BaseFormSet:
    """A row for each metric of the plan, and some for more."""
    initial = [
        {
            "output": f"{one['metric']}:{one['output']}",
            "options": json.dumps(one["options"]) if one["options"] else "",
        }
        for one in (plan.metrics if plan else [])
    ]
    kwargs = {"choices": _choices(study, [one["output"] for one in initial])}
    return MetricRows(data, initial=initial, prefix="metrics", form_kwargs=kwargs)


def chosen(rows: forms.BaseFormSet) -> list[dict[str, object]]:
    """The metrics of a valid formset, each once."""
    found: list[dict[str, object]] = []
    for form in rows:
        planned = form.planned()
        if planned and planned not in found:
            found.append(planned)
    return found


class Wrong(ValueError):
    """A plan that the page would refuse, with what it would say of each field."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__(str(errors))
        self.errors = errors


def checked(*, study: Study, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What the API was given, by the rules of the page: for `plan.save`.

    Raises:
        Wrong: With the reasons.
    """
    aspect = study.aspects.filter(key=wanted["aspect"]).first()
    if aspect is None:
        keys = ", ".join(study.aspects.values_list("key", flat=True))
        said = f"There is no aspect {wanted['aspect']!r}. This study has: {keys}."
        raise Wrong({"aspect": [said]})
    form = PlanForm({**wanted, "aspect": aspect.pk}, study=study)
    metrics = wanted["metrics"][: MOST_METRICS + 1]
    data = {"metrics-TOTAL_FORMS": len(metrics), "metrics-INITIAL_FORMS": 0}
    for k, one in enumerate(metrics):
        data[f"metrics-{k}-output"] = f"{one['metric']}:{one['output']}"
        data[f"metrics-{k}-options"] = json.dumps(one.get("options", {}))
    rows = metric_rows(study, None, data)
    if not (form.is_valid() and rows.is_valid()):
        raise Wrong({**form.errors, **_told(metrics, rows)})
    return {**form.cleaned_data, "metrics": chosen(rows)}


def _told(metrics: list[Any], rows: forms.BaseFormSet) -> dict[str, list[str]]:
    found = [
        f"{one['metric']}:{one['output']}: {said}"
        for one, errors in zip(metrics, rows.errors, strict=False)
        for said in (word for words in errors.values() for word in words)
    ]
    found += [str(said) for said in rows.non_form_errors()]
    return {"metrics": found} if found else {}


def _choices(study: Study, kept: list[str]) -> list[tuple[str, Any]]:
    """All outputs of metrics of texts, those that the study has, and those kept."""
    groups: dict[str, dict[str, str]] = {}
    for name in metrics.names():
        kind = metrics.get(name)
        if issubclass(kind, Metric):
            outputs = _outputs(study, kind)
            groups[kind.title] = {
                f"{name}:{one.key}": f"{kind.title}: {one.title}" for one in outputs
            }
    known = {value for group in groups.values() for value in group}
    others = {
        f"{one.metric}:{one.key}": one.label
        for one in study_arrays.outputs(study=study)
    }
    others |= {value: value for value in kept if value not in others}
    more = {value: label for value, label in others.items() if value not in known}
    listed = {**groups, **({"Others": more} if more else {})}
    return [(title, list(group.items())) for title, group in listed.items()]


def _outputs(study: Study, kind: type[Metric]) -> tuple[Output, ...]:
    """What the metric gives with what the study brings along."""
    try:
        options = tables.filled(study=study, kind=kind, options={})
        return kind(**options).outputs
    except OptionError:
        return kind().outputs
