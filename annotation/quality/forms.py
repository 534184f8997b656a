"""The settings of quality control."""

from __future__ import annotations

from django import forms

from annotation.models import Policy, Study
from evalapp.limits import forms as storable_forms

NUMBERS = (
    *("characters_per_second", "worker_p", "worker_pages"),
    *("block_after", "block_within"),
)


class PolicyForm(storable_forms.ModelForm):
    """A change makes a new version: verdicts name the version that they rest on."""

    chosen = forms.MultipleChoiceField(
        label="Chosen aspects",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text='Counts only when compared on "the chosen aspects".',
    )

    class Meta:
        model = Policy
        fields = ("rule", "on", "chosen", "same_score", *NUMBERS)
        labels = {
            "rule": "Discard a page with its",
            "on": "Compared on",
            "same_score": "Discard a page with the same score everywhere",
            "characters_per_second": "Fastest reading, in characters a second",
            "worker_p": "Highest p of a worker",
        }
        help_texts = {
            "on": "Of several aspects the means are compared. A tie is no evidence.",
            "same_score": "No rule catches it: a tie is no evidence.",
            "characters_per_second": "Empty: any. A page that was in view for less "
            "time than its texts take is discarded. Fast readers manage 35, skimming "
            "is 60.",
            "worker_p": "Empty: no test. Discards a page of a worker who, over all "
            "their pages, does not rate the damaged texts lower: Wilcoxon's signed "
            "ranks, one-sided, p above this.",
            "worker_pages": "With fewer pages the test rests: five all lower give "
            "p = 0.03 at best.",
            "block_after": "Empty: nobody is blocked. Who has this many discarded "
            "pages gets no more.",
        }

    def __init__(self, *args, study: Study, **kwargs) -> None:
        super().__init__(*args, use_required_attribute=False, **kwargs)
        self.study = study
        aspects = study.aspects.values_list("key", "title")
        self.fields["chosen"].choices = list(aspects)

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        if cleaned.get("on") == Policy.On.CHOSEN and not cleaned.get("chosen"):
            self.add_error("chosen", "Choose at least one aspect.")
        after, within = cleaned.get("block_after"), cleaned.get("block_within")
        if within is not None and after is None and "block_after" not in self.errors:
            self.add_error("block_after", "Say after how many discards, too.")
        elif within is not None and after is not None and within < after:
            self.add_error("block_within", f"Expected at least {after}, got {within}.")
        return cleaned

    def policy(self) -> Policy:
        """The valid form's policy, not saved: the current one if nothing changed."""
        if not self.has_changed():
            return self.study.current_policy()
        values = {name: self.cleaned_data[name] for name in self.Meta.fields}
        version = self.study.current_policy().version + 1
        return Policy(study=self.study, version=version, **values)

    def save(self, commit: bool = True) -> Policy:
        """Write a new version. Call it where the study is locked: versions are many."""
        policy = self.policy()
        if policy.pk is None:
            policy.save()
        return policy
