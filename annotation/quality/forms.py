"""The settings of quality control."""

from __future__ import annotations

from django import forms

from annotation.models import Policy, Study
from evalapp.limits import forms as storable_forms

NUMBERS = (
    *("same_faster_than", "same_pages", "characters_per_second"),
    *("chance_odds", "with_others", "worker_p", "worker_pages"),
    *("block_after", "block_within"),
)
SAME_FIRST = (
    "This narrows “Discard a page with the same score everywhere”: tick that, too, or"
    " leave this empty."
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
            "same_faster_than": "Only if read faster than (characters per second)",
            "same_pages": "Same score everywhere at any speed, on this many pages",
            "characters_per_second": "Fastest reading (characters per second)",
            "chance_odds": "Discard when the odds of random answers exceed",
            "with_others": "Also use agreement with other workers",
            "worker_p": "Discard when p exceeds",
            "worker_pages": "Start testing after (pages)",
        }
        help_texts = {
            "on": "Of several aspects the means are compared. A tie is no evidence.",
            "same_score": "The rule for negatives never catches this, because ties do "
            "not count.",
            "same_faster_than": "Empty: at any speed. Most people read 17 to 29 "
            "characters a second, 175 to 300 words a minute.",
            "same_pages": "Empty: never. Discards all pages of a worker who gives one "
            "answer everywhere on this many pages and on more than half of theirs.",
            "characters_per_second": "Empty: any. A page that was in view for less "
            "time than its texts take is discarded. Our estimates reckon with 20, so "
            "60 is a third of the estimated reading time; skimming is 43, looking for "
            "a word 57.",
            "chance_odds": "Empty: no test. Discards all pages of a worker, including "
            "earlier ones, once their answers are this many times more likely to be "
            "random than to come from reading. At 50, the test discards at most 1 in "
            "50 people who see the damage.",
            "with_others": "Used where two or more other workers rated the same "
            "texts. It counts for little where they disagree with each other.",
            "worker_p": "Empty: no test. Discards a page of a worker who, over all "
            "their pages, does not rate the damaged texts lower: Wilcoxon's signed "
            "ranks, one-sided, p above this.",
            "worker_pages": "Applies to both tests above. With five pages, p cannot be "
            "lower than 0.03.",
            "block_after": "Empty: nobody is blocked. Workers with this many discarded "
            "pages get no more pages.",
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
        if cleaned.get("same_faster_than") and not cleaned.get("same_score"):
            self.add_error("same_faster_than", SAME_FIRST)
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
