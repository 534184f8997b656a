"""The settings of quality control."""

from __future__ import annotations

from collections.abc import Iterator

from django import forms

from annotation import page_kinds
from annotation.models import Policy, Study
from annotation.perturbations import PERTURBATIONS, Perturbation, of_language
from annotation.quality.previewing import NOT_SETTINGS
from evalapp.limits import forms as storable_forms

NUMBERS = (
    *("same_faster_than", "same_pages", "characters_per_second"),
    *("chance_odds", "with_others", "worker_p", "worker_pages"),
)
BLOCKING = ("block_after", "block_within")
GENERAL = ("rule", "on", "chosen", "damages", "same_score", *NUMBERS)
# Of pages of one kind alone: it has the words for them.
OF_KINDS = tuple(
    field.name
    for field in Policy._meta.concrete_fields
    if field.name not in (*GENERAL, *BLOCKING, *NOT_SETTINGS)
)
SAME_FIRST = (
    "This narrows “Discard a page with the same answer everywhere”: tick that, too, or"
    " leave this empty."
)


def _said(one: Perturbation) -> str:
    """By the words of the tables below the form: its name is one of the code's."""
    title = one.title.capitalize()
    words = one.does if one.does.startswith(title) else f"{title}. {one.does}"
    return f"{words} English only." if one.english else words


class PolicyForm(storable_forms.ModelForm):
    """A change makes a new version: verdicts name the version that they rest on."""

    chosen = forms.MultipleChoiceField(
        label="Chosen aspects",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text='Counts only when compared on "the chosen aspects".',
    )

    damages = forms.MultipleChoiceField(
        label="Kinds of damage",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="For pages that are drawn from now on: those that exist keep their"
        " damaged texts. If your texts are not English, untick the kinds that are for"
        " English only: they are never used where the pages of workers are in another"
        " language. If you tick none, all are used.",
    )

    class Meta:
        model = Policy
        fields = (*GENERAL, *OF_KINDS, *BLOCKING)
        labels = {
            "rule": "Discard a page with its",
            "on": "Compared on",
            "same_score": "Discard a page with the same answer everywhere",
            "same_faster_than": "Only if read faster than (characters per second)",
            "same_pages": "Same answer everywhere at any speed, on this many pages",
            "characters_per_second": "Fastest reading (characters per second)",
            "chance_odds": "Discard when the odds of random answers exceed",
            "with_others": "Also use agreement with other workers",
            "worker_p": "Discard when p exceeds",
            "worker_pages": "Start testing after (pages)",
        }
        help_texts = {
            "on": "With several aspects, their means are compared. With “any one "
            "aspect”, each is compared separately, and one is enough to discard the "
            "page. A tie never discards a page.",
            "same_score": "The rule for damaged texts never catches this, because ties "
            "do not count.",
            "same_faster_than": "Leave empty for any speed. Most adults read 17 to 29 "
            "characters per second (175 to 300 words per minute).",
            "same_pages": "Leave empty to turn this off. Discards all pages of a "
            "worker who gives the same answer everywhere on this many pages and on "
            "more than half of their pages.",
            "characters_per_second": "Leave empty to turn this off. Discards a page "
            "that was in view for less time than its texts take at this speed. Reading "
            "is about 20, skimming 43, and looking for a single word 57.",
            "chance_odds": "Leave empty to turn this off. Discards all pages of a "
            "worker, including earlier ones, once their answers are this many times as "
            "likely to be random as to come from reading. At 50, the test discards at "
            "most 1 in 50 people who notice the damage.",
            "with_others": "Used where two or more other workers rated the same "
            "texts. Counts for little where those workers disagree with each other.",
            "worker_p": "Leave empty to turn this off. Discards a page of a worker "
            "who, over all their pages, does not rate the damaged texts lower: one-"
            "sided Wilcoxon signed-rank test, p above this.",
            "worker_pages": "Applies to both tests above. With 5 pages, p is at least "
            "0.03.",
            "block_after": "Leave empty to block nobody. Workers with this many "
            "discarded pages get no more pages.",
        }

    def __init__(self, *args, study: Study, **kwargs) -> None:
        super().__init__(*args, use_required_attribute=False, **kwargs)
        self.study = study
        aspects = study.aspects.values_list("key", "title")
        self.fields["chosen"].choices = list(aspects)
        for kind in page_kinds.every():
            for name, words in kind.checks.settings.fields.items():
                self.fields[name].label, self.fields[name].help_text = words
        self.all_damages = of_language(study.language)
        self.fields["damages"].choices = [
            (name, _said(PERTURBATIONS[name])) for name in self.all_damages
        ]
        if not self.initial.get("damages"):
            self.initial["damages"] = self.all_damages

    def of_kinds(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        """Settings of pages of one kind: legend, fields, and whether they matter."""
        for kind in page_kinds.every():
            if (settings := kind.checks.settings).fields:
                fields = [self[name] for name in settings.fields]
                yield settings.legend, fields, kind.key in self.study.page_kinds

    def clean_damages(self) -> list[str]:
        """All are kept as none, so that kinds of later versions count too."""
        found: list[str] = self.cleaned_data["damages"]
        return [] if set(found) == set(self.all_damages) else found

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        if cleaned.get("on") == Policy.On.CHOSEN and not cleaned.get("chosen"):
            self.add_error("chosen", "Choose at least one aspect.")
        if cleaned.get("same_faster_than") and not cleaned.get("same_score"):
            self.add_error("same_faster_than", SAME_FIRST)
        for kind in page_kinds.every():
            for name, problem in kind.checks.settings.problems(cleaned).items():
                self.add_error(name, problem)
        after, within = cleaned.get("block_after"), cleaned.get("block_within")
        if within is not None and after is None and "block_after" not in self.errors:
            self.add_error(
                "block_after", "Enter the number of discarded pages as well."
            )
        elif within is not None and after is not None and within < after:
            self.add_error("block_within", f"Expected at least {after}, got {within}.")
        return cleaned

    def policy(self) -> Policy:
        """The valid form's policy, not saved: the current one if nothing changed."""
        current = self.study.current_policy()
        values = {name: self.cleaned_data[name] for name in self.Meta.fields}
        same_damages = values["damages"] == current.damages
        if not set(self.changed_data) - ({"damages"} if same_damages else set()):
            return current
        version = current.version + 1
        return Policy(study=self.study, version=version, **values)

    def save(self, commit: bool = True) -> Policy:
        """Write a new version. Call it where the study is locked: versions are many."""
        policy = self.policy()
        if policy.pk is None:
            policy.save()
        return policy
