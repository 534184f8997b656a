"""What people agree to before a judge over the network is asked."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring.drawing.words import capitalized
from scoring.endpoints import configuration
from scoring.judging import estimates, pairs, steps
from scoring.judging.estimates import Estimate
from scoring.judging.ledger import Limit
from scoring.metrics.judge import prompts
from scoring.models import JudgeTrial, MetricRun

MOST_CALLS = 2_000_000_000  # what the table can hold
MOST_COST = 1e9
USUAL_SAMPLES = 5


class LimitForm(storable_forms.Form):
    """Consent, and the most that may be asked and spent."""

    most_calls = forms.IntegerField(
        label="Call limit", min_value=1, max_value=MOST_CALLS
    )
    most_cost = forms.FloatField(min_value=0, max_value=MOST_COST)
    agreed = forms.BooleanField(
        error_messages={"required": "Tick the box if you agree. Nothing has been sent."}
    )

    def __init__(
        self, estimate: Estimate, data: Any = None, *, prefix: str | None = None
    ) -> None:
        super().__init__(data, prefix=prefix)
        self.estimate = estimate
        self.fields["agreed"].label = _agreement(estimate)
        add_limits(self, *_proposed(estimate))
        self.fields["most_calls"].help_text = (
            f"The estimate is {estimate.calls:,}. A failed call is repeated, and each"
            " attempt counts."
        )

    def limit(self) -> Limit:
        """What was agreed to, once the form is valid."""
        return limit_of(self, self.estimate.currency)


def _proposed(of: Estimate) -> tuple[int, float | None, str]:
    return of.proposed_calls, of.proposed_cost, of.currency


def add_limits(form: forms.Form, calls: int, cost: float | None, currency: str) -> None:
    """Fill in what is proposed. Money only where there are prices."""
    form.fields["most_calls"].initial = calls
    if cost is None:
        del form.fields["most_cost"]
        return
    field = form.fields["most_cost"]
    field.initial = cost
    field.label = f"Spending limit ({currency})"
    field.help_text = "Based on the prices that your administrator has set."
    field.widget.attrs["step"] = "any"


def limit_of(form: forms.Form, currency: str) -> Limit:
    chosen = form.cleaned_data
    return Limit(chosen["most_calls"], chosen.get("most_cost"), currency)


def _agreement(estimate: Estimate) -> str:
    agree = f"I agree to send these {estimate.sends} to {estimate.endpoint},"
    if estimate.leaves_site:
        return f"{agree} outside this server’s own network, within these limits"
    return f"{agree} within these limits"


class PairsForm(storable_forms.Form):
    """Which judge compares which pairs of texts, and how."""

    model = forms.ChoiceField(label="Judge")
    aspect = forms.ChoiceField(
        label="Question", help_text="The judge gets the same question as people."
    )
    n = forms.IntegerField(
        label="Maximum number of pairs", min_value=1, max_value=pairs.MOST_PAIRS
    )
    voted = forms.BooleanField(
        label="Only pairs that people have voted on",
        required=False,
        help_text="Then you can see how far the judge and people agree.",
    )
    mode = forms.ChoiceField(
        label="How answers are read",
        choices=[(mode, capitalized(words)) for mode, words in pairs.MODES.items()],
        help_text="Not every server supports probabilities or schemas.",
    )
    samples = forms.IntegerField(
        label="Answers for each order, if there are several",
        initial=USUAL_SAMPLES,
        min_value=2,
        max_value=100,
    )

    def __init__(self, study: Study, counts: pairs.Counted, data: Any = None) -> None:
        super().__init__(data)
        self.fields["model"].choices = judges()
        self.fields["aspect"].choices = [
            (aspect.key, prompts.in_general(pairs.question_text(study, aspect)))
            for aspect in study.aspects.all()
        ]
        self.fields["n"].initial = min(pairs.USUAL_PAIRS, counts.all)
        self.fields["n"].help_text = _n_there(counts)
        if counts.voted:
            self.fields["voted"].initial = True
        else:
            del self.fields["voted"]

    def options(self) -> dict[str, Any]:
        """Of the metric llm_judge; call it on a valid form."""
        return {name: self.cleaned_data[name] for name in ("model", "mode", "samples")}

    def setup(self) -> dict[str, Any]:
        """Of the trial; call it on a valid form."""
        chosen = self.cleaned_data
        names = ("aspect", "n")
        return {n: chosen[n] for n in names} | {"voted": chosen.get("voted", False)}


def judges() -> list[tuple[str, str]]:
    """What the operator has set up, as choices."""
    return [
        (
            f"{configuration.PREFIX}{endpoint.name}/{model}",
            f"{model} on {endpoint.name}",
        )
        for endpoint in estimates.all_endpoints().known.values()
        for model in endpoint.models
    ]


def _n_there(counts: pairs.Counted) -> str:
    n, voted = counts.all, counts.voted
    has = f"This study has {n:,} pair{'' if n == 1 else 's'}"
    on = f", and people have voted on {voted:,} of them" if voted else ""
    return f"{has}{on}. If there are more than you ask for, a sample is drawn."


class StepsForm(storable_forms.Form):
    """The steps that a judge wrote, to be edited: a field for each question."""

    def __init__(self, trial: JudgeTrial, data: Any = None) -> None:
        super().__init__(data, prefix="steps")
        current = steps.current(trial)
        for question in steps.questions(trial.options):
            self.fields[question.key] = forms.CharField(
                label=prompts.in_general(question.question),
                initial=current[question.key],
                max_length=steps.LONGEST,
                widget=forms.Textarea(attrs={"rows": 12}),
            )

    def steps(self) -> dict[str, str]:
        """By question; call it on a valid form."""
        return {
            key: text.replace("\r\n", "\n") for key, text in self.cleaned_data.items()
        }


class RaiseForm(storable_forms.Form):
    """A higher limit, for work that stopped at the one before."""

    most_calls = forms.IntegerField(
        label="New call limit", min_value=1, max_value=MOST_CALLS
    )
    most_cost = forms.FloatField(min_value=0, max_value=MOST_COST)

    def __init__(self, row: MetricRun | JudgeTrial, data: Any = None) -> None:
        super().__init__(data)
        self.row = row
        cost = None if row.most_cost is None else 2 * row.most_cost
        add_limits(self, 2 * (row.most_calls or 0), cost, row.currency)

    def limit(self) -> Limit:
        return limit_of(self, self.row.currency)

    def problems(self) -> str:
        """What is wrong with it, where its page is not shown again."""
        sentences = [
            f"{self[name].label}: {why[0]}" for name, why in self.errors.items()
        ]
        return " ".join(sentences)
