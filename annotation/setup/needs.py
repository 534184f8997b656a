"""The panel that says how many ratings a study needs, as it is asked for on Setup."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import QueryDict

from annotation import sizing
from annotation.human_scores import one_aspect
from annotation.models import Annotation, Study
from evalapp.limits import forms as storable_forms
from scoring.stats.components.needed import Goal, Planned

# Names that the form of this panel sends; without them nothing is computed.
ASKED = "difference"
MOST_STUDIES = 50
POWERS = [("0.8", "80 %"), ("0.9", "90 %")]
TYPICAL = ("", "Typical values of five public studies")


class NeedsForm(storable_forms.Form):
    difference = forms.FloatField(
        label="Smallest difference that matters to you",
        min_value=0.01,
        max_value=100,
        help_text="Between the mean ratings of two systems, in points of the scale.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    power = forms.ChoiceField(
        label="Chance of seeing it", choices=POWERS, initial="0.8", required=False
    )
    like = forms.ChoiceField(
        label="Ratings vary as in",
        choices=[TYPICAL],
        required=False,
        help_text="A study with the same questions tells you more than typical values.",
    )
    people = forms.IntegerField(
        label="People who rate, in all",
        min_value=1,
        max_value=100_000,
        required=False,
        help_text="Leave this empty for a crowd, where each page has its own raters.",
    )
    equivalence = forms.BooleanField(
        label="Show instead that two equal systems differ by less than this",
        required=False,
        help_text="Only planned: no page of EvalApp tests it.",
    )

    def __init__(
        self,
        *args: Any,
        similar: list[Study],
        ratings_per_text: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.ratings_per_text = ratings_per_text
        self.similar = {study.name: study for study in similar}
        field = self.fields["like"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*((name, name) for name in self.similar), TYPICAL]

    def clean_people(self) -> int | None:
        people: int | None = self.cleaned_data["people"]
        if people is not None and people < self.ratings_per_text:
            raise forms.ValidationError(
                f"Each text gets {self.ratings_per_text} ratings, each by a different"
                f" person. Enter {self.ratings_per_text} or more, or leave this empty."
            )
        return people

    @property
    def rest(self) -> list[forms.BoundField]:
        """What has a usual value."""
        return [self[name] for name in ("power", "like", "people", "equivalence")]

    @property
    def is_unusual(self) -> bool:
        """Whether one of the rest was changed, or is wrong."""
        return any(field.errors for field in self.rest) or (
            self.is_bound and bool({"people", "equivalence"} & {*self.changed_data})
        )

    def goal(self) -> Goal:
        return Goal(
            self.cleaned_data["difference"],
            power=float(self.cleaned_data["power"] or "0.8"),
            equivalence=self.cleaned_data["equivalence"],
        )


class Row(NamedTuple):
    raters: int
    prompts: int
    ratings: int
    half_width: float
    cost: str  # empty where no pay is set
    own: bool  # as many raters as the study has


class Needs(NamedTuple):
    form: NeedsForm | None = None  # None: there is nothing to ask
    sentence: str = ""  # empty: not asked, or it cannot be answered
    cheapest: str = ""
    basis: str = ""
    rows: tuple[Row, ...] = ()
    reason: str = ""


def needs(*, study: Study, user: User, asked: QueryDict) -> Needs | None:
    """The form, and the answer if it was sent. None where it would not help: texts are
    not rated or have one system, or the study is closed.

    Four queries until it is sent. The answer reads a bounded number of ratings, and
    resamples nothing.
    """
    ended = study.state == Study.State.CLOSED or study.archived_at is not None
    if ended or not study.rates_single_texts:
        return None
    if study.rates_part:
        return Needs(reason=sizing.PART)
    if not study.aspects.exists() or sizing.sizes(study=study) is None:
        return None
    form = NeedsForm(
        asked if ASKED in asked else None,
        similar=_similar(study=study, user=user),
        ratings_per_text=study.ratings_per_text,
        initial={"people": sizing.people(study)},
    )
    return _answered(study, form) if form.is_bound and form.is_valid() else Needs(form)


def _answered(study: Study, form: NeedsForm) -> Needs:
    sizes = sizing.sizes(study=study, pool=form.cleaned_data["people"])
    if sizes is None:
        return Needs(form, reason=sizing.FEW)
    source = form.similar.get(form.cleaned_data["like"])
    most = sizes.enough(one_aspect.MOST // study.aspects.count())
    known = sizing.known(study=study, source=source, draws=0, most=most)
    found = sizing.answer(sizes=sizes, known=known, goal=form.goal())
    return Needs(
        form,
        sizing.sentence(found),
        sizing.cheapest(found),
        sizing.basis(found),
        tuple(_row(found, plan) for plan in found.plans),
    )


def _row(found: sizing.Answer, plan: Planned) -> Row:
    design = plan.design
    return Row(
        design.raters,
        design.prompts,
        plan.ratings,
        plan.half_width,
        sizing.money(plan, found.sizes.currency),
        design.raters == found.sizes.design.raters,
    )


def _similar(*, study: Study, user: User) -> list[Study]:
    """Studies of the user with ratings: this one first, then the newest."""
    rated = Annotation.objects.filter(generation__study=OuterRef("pk"))
    studies = Study.objects.visible_to(user).filter(Exists(rated))
    found = list(studies.order_by("-pk")[:MOST_STUDIES])
    return sorted(found, key=lambda one: one.pk != study.pk)
