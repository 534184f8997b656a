"""What a researcher sets up before workers come, and what may still change after."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseModelFormSet

from annotation import platforms, studies
from annotation.crowd import practice
from annotation.models import Aspect, Practice, Study
from annotation.setup.questions import LABEL
from evalapp.limits import forms as storable_forms

HELP = {
    "title": "Workers see this. Never name a system. Empty: “Rating texts”.",
    "monospaced": "Code has letters of one width and keeps its indents, and its long"
    " lines scroll.",
    "instructions": "You can use Markdown: # heading, **bold**, - list, "
    "[link](https://…).",
    "consent": "You can use Markdown. What is kept, and whom to ask, is added to it.",
    "contact": "Workers write to this email address with questions, or to withdraw.",
    "content_warning": "Shown before the first text. Empty: no warning.",
    "debrief": "You can use Markdown. Workers read this at the end. We already tell "
    "those who saw damaged texts about them.",
    "ratings_per_text": "Each from a different person.",
    "texts_per_survey": "At most this many texts on a page. One damaged text is added.",
    "max_pages": "Empty: as many as there are.",
    "lease_minutes": "A page goes to someone else this long after its last answer.",
    "spare_seats": "Extra people who may rate a page while others have not finished "
    "it. Those who finish too late are paid, but not counted.",
    "damaged_texts": "A page without one gets the other checks only.",
    "pay_per_page": "Workers see this. Empty: unpaid, or paid elsewhere.",
    "currency": "Three letters, such as USD, EUR or INR.",
    "minutes_per_page": "Workers see this. Empty: estimated from the length of the "
    "texts.",
    "pay_unused": "Platforms restrict rejections.",
    "invited_only": "Each person needs their own invite link.",
    "completion_code": "Workers see this at the end and enter it on the platform.",
    "nothing_left_code": "For workers who arrive when nothing is left. Empty: no code.",
    "screen_out_code": "For workers who do not pass the practice page. Empty: no code.",
    "completion_url": "Connect: the Redirect URL. Sona: the Completion URL"
    " (client-side). Empty on other platforms.",
    "retention_days": "Platform ids of workers are deleted this long after the study "
    "closes. Empty: never. The consent says which.",
}


class SettingsForm(storable_forms.ModelForm):
    """What a study asks of whom. A field that its state has fixed cannot be changed."""

    class Meta:
        model = Study
        fields = (
            *("title", "language", "monospaced", "instructions", "consent"),
            *("content_warning", "contact", "debrief", "scale_min", "scale_max"),
            *("ratings_per_text", "texts_per_survey", "max_pages", "lease_minutes"),
            *("rated_share", "share_of", "spare_seats", "one_by_one"),
            *("pay_per_page", "currency", "minutes_per_page", "pay_unused"),
            *("platform", "invited_only", "damaged_texts", "canary"),
            *("completion_code", "nothing_left_code", "screen_out_code"),
            "completion_url",
            "retention_days",
        )
        widgets = {
            "instructions": forms.Textarea(attrs={"rows": 8}),
            "consent": forms.Textarea(attrs={"rows": 6}),
            "debrief": forms.Textarea(attrs={"rows": 3}),
        }
        labels = {
            "monospaced": "Show as code",
            "debrief": "Debriefing",
            "scale_min": "Lowest answer",
            "scale_max": "Highest answer",
            "texts_per_survey": "Texts per page",
            "max_pages": "Maximum pages per worker",
            "damaged_texts": "Damaged texts",
            "lease_minutes": "Minutes to keep a page for a worker",
            "minutes_per_page": "Expected minutes per page",
            "pay_unused": "Pay for pages that are not used",
            "spare_seats": "Spare places per page",
            "invited_only": "Only people with an invite link",
            "nothing_left_code": "Code when nothing is left",
            "screen_out_code": "Code after the practice page",
            "completion_url": "Address for those who have finished",
            "retention_days": "Days to keep platform ids",
        }
        help_texts = HELP

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.changeable = studies.changeable(self.instance.state)
        self.fields["platform"].choices = platforms.offers()
        for name, field in self.fields.items():
            field.disabled = name not in self.changeable
            # Compared is with what is stored, not with what a form says was there.
            field.show_hidden_initial = False

    def clean_currency(self) -> str:
        code = self.cleaned_data["currency"].strip().upper()
        if not (code.isascii() and code.isalpha() and len(code) == 3):
            raise ValidationError("Use three letters, such as USD, EUR or INR.")
        return code

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        low, high = cleaned.get("scale_min"), cleaned.get("scale_max")
        has_scale = low is not None and high is not None
        if has_scale and (reason := studies.why_no_scale(self.instance, low, high)):
            self.add_error("scale_max", reason)
        if cleaned.get("invited_only") and cleaned.get("platform") not in (
            None,
            platforms.DIRECT,
        ):
            title = platforms.label(platforms.DIRECT)
            self.add_error("invited_only", f'Invite links need the platform "{title}".')
        platform = platforms.PLATFORMS.get(cleaned.get("platform", ""))
        address = cleaned.get("completion_url")
        if address and platform and (reason := platform.why_no_address(address)):
            self.add_error("completion_url", reason)
        return cleaned

    def save(self, commit: bool = True) -> Study:
        # These fields only: the state, as read before, may have changed since.
        self.instance.save(update_fields=sorted(self.changeable))
        return self.instance


MAY_BE_LEFT_OUT = ("kind", "level", "about")  # then they stay as they are


class AspectForm(storable_forms.ModelForm):
    """A question with its scale."""

    words = forms.CharField(
        label="Labels of other answers",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=2_000,
        required=False,
        help_text="One per line, the number first: 2 Poor.",
    )

    class Meta:
        model = Aspect
        fields = (
            *("title", "question", "pair_question"),
            *("kind", "scale_min", "scale_max"),
            *("low", "middle", "high", "words"),
            *("cannot_say", "level", "about", "higher_is_better"),
        )
        labels = {
            "pair_question": "Question on two texts",
            "about": "Asked of",
            "kind": "Answer by",
            "scale_min": "Lowest answer",
            "scale_max": "Highest answer",
            "low": "Label of the lowest answer",
            "middle": "Label of the middle answer",
            "high": "Label of the highest answer",
            "cannot_say": "Offer “Cannot say”",
            "level": "Level of measurement",
            "higher_is_better": "The highest answer is the best",
        }
        help_texts = {
            "question": "{label} stands for what the text should express.",
            "pair_question": "Ask which text is better. Empty: a standard question.",
            "scale_min": "Empty: as for the whole study.",
            "scale_max": "2 to 11 points. Not used with a slider.",
            "middle": "Not used with a slider.",
            "cannot_say": "It counts as answered, but never as a number.",
            "about": "On pages with dialogues.",
            "level": "Krippendorff’s alpha uses it. Sliders are usually interval.",
        }

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.initial["words"] = studies.written_words(self.instance.words)
        for name in MAY_BE_LEFT_OUT:
            self.fields[name].required = False

    def clean_words(self) -> dict[str, str]:
        try:
            return studies.read_words(self.cleaned_data["words"])
        except studies.ScaleError as error:
            raise ValidationError(str(error)) from error

    def clean(self) -> dict[str, object]:
        """The scale is checked on the question as it would be."""
        cleaned = super().clean()
        if self.errors:
            return cleaned
        asked = copy(self.instance)
        for name in set(self._meta.fields) & set(cleaned):
            if cleaned[name] or name not in MAY_BE_LEFT_OUT:
                setattr(asked, name, cleaned[name])
        try:
            studies.settle(asked)
        except studies.ScaleError as error:
            self.add_error(error.field, str(error))
            return cleaned
        if asked.pk and (reason := studies.why_no_other(asked)):
            self.add_error("scale_max", reason)
        moved = asked.pk and asked.about != self.instance.about
        if moved and (reason := studies.why_aspect_stays(self.instance)):
            self.add_error("about", reason)
        own = set(self._meta.fields) & set(cleaned)
        return cleaned | {name: getattr(asked, name) for name in own}


class BaseAspectFormSet(BaseModelFormSet):
    """The study's questions, in order, and an empty form for one more."""

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        super().__init__(
            *args, queryset=study.aspects.all(), prefix="aspects", **kwargs
        )
        self.fixed = study.state != Study.State.DRAFT
        self.has_labels = study.labels.exists()
        self.without = [
            *(() if study.compares_texts else ("pair_question",)),
            *(() if study.dialogues.exists() else ("about",)),
        ]
        if self.fixed:
            self.extra = 0

    def add_fields(self, form: forms.ModelForm, index: int | None) -> None:
        super().add_fields(form, index)
        form.instance.study = self.study  # whose scale it may have
        form.fields["ORDER"].label = "Position"
        if "DELETE" in form.fields:
            form.fields["DELETE"].label = "Remove this question"
        for name in self.without:
            del form.fields[name]
        if not (self.has_labels or LABEL in form.instance.question):
            form.fields["question"].help_text = ""
        for name, field in form.fields.items():
            field.disabled = self.fixed and name != "id"

    def clean(self) -> None:
        super().clean()
        # A form that came without its own fields has no order to look at.
        if any(self.errors) or not self.management_form.is_valid():
            return
        n_left = len(self.ordered_forms)
        if not n_left:
            raise ValidationError("A study needs at least one question.")
        if n_left > studies.MOST_ASPECTS:
            raise ValidationError(
                f"{n_left} questions are too many: a study can have"
                f" {studies.MOST_ASPECTS}."
            )
        for form in self.deleted_forms:
            if reason := studies.why_aspect_stays(form.instance):
                raise ValidationError(reason)

    def save(self, commit: bool = True) -> None:
        """Inside a transaction."""
        studies.arrange_aspects(
            study=self.study,
            kept=[form.instance for form in self.ordered_forms],
            removed=[form.instance for form in self.deleted_forms],
        )


AspectFormSet = forms.modelformset_factory(
    Aspect,
    form=AspectForm,
    formset=BaseAspectFormSet,
    extra=1,
    can_order=True,
    can_delete=True,
    can_delete_extra=False,
)


class PracticeForm(storable_forms.ModelForm):
    class Meta:
        model = Practice
        fields = ("prefix", "label", "attempts")
        widgets = {"prefix": forms.Textarea(attrs={"rows": 2})}
        labels = {
            "prefix": "Opening of the texts",
            "label": "Feeling or topic to express",
            "attempts": "Attempts",
        }
        help_texts = {
            "prefix": "Every text continues from it. Empty: none.",
            "attempts": "Workers who have not passed by then get no page.",
        }


class PracticeTextForm(storable_forms.Form):
    """One practice text; per aspect, the range of answers that passes."""

    text = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000, required=False
    )
    why = forms.CharField(
        label="Why these answers",
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2_000,
        required=False,
        help_text="Workers read this after an attempt.",
    )

    def __init__(self, *args, study: Study, aspects: list[Aspect], **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.aspects = aspects
        for aspect in aspects:
            for end in ("from", "to"):
                self.fields[f"{aspect.key}-{end}"] = _end_of_range(aspect, end)

    def ranges(self) -> list[tuple[Aspect, forms.BoundField, forms.BoundField]]:
        return [
            (aspect, self[f"{aspect.key}-from"], self[f"{aspect.key}-to"])
            for aspect in self.aspects
        ]

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        for aspect, low, high in self.ranges():
            ends = cleaned.get(low.name), cleaned.get(high.name)
            if None not in ends and ends[0] > ends[1]:
                self.add_error(
                    high.name,
                    f"{aspect.title}: “to” must not be below “from”.",
                )
        is_new = not self.initial.get("text")  # one that is emptied is dropped
        if is_new and not cleaned.get("text") and any(cleaned.values()):
            self.add_error("text", "Enter the text that these answers belong to.")
        return cleaned

    def as_text(self) -> practice.Text:
        """A range with one open end reaches to the end of the scale."""
        given, expected = self.cleaned_data, {}
        for aspect, low, high in self.ranges():
            ends = given[low.name], given[high.name]
            if ends != (None, None):
                expected[aspect.key] = (
                    aspect.scale[0] if ends[0] is None else ends[0],
                    aspect.scale[-1] if ends[1] is None else ends[1],
                )
        return practice.Text(given["text"], expected, given["why"])


def _end_of_range(aspect: Aspect, end: str) -> forms.Field:
    label = f"{aspect.title} {end}"
    if aspect.is_slider:
        low, high = aspect.ends
        return forms.IntegerField(
            label=label, min_value=low, max_value=high, required=False
        )
    return forms.TypedChoiceField(
        label=label,
        choices=[("", "any"), *((value, str(value)) for value in aspect.scale)],
        coerce=int,
        empty_value=None,
        required=False,
    )


PracticeTextFormSet = forms.formset_factory(
    PracticeTextForm,
    extra=2,
    max_num=practice.MOST_TEXTS,
    validate_max=True,
    # A request that claims thousands must not make the server write them out.
    absolute_max=practice.MOST_TEXTS + 1,
)


def practice_texts(
    study: Study, page: Practice | None, data: Mapping[str, str] | None
) -> forms.BaseFormSet:
    """The forms of the texts that there are, and two empty ones while there is room."""
    texts = page.texts.all() if page else []
    initial = [
        {"text": text.text, "why": text.why, **_ends(text.expected)} for text in texts
    ]
    made = PracticeTextFormSet(
        data,
        initial=initial,
        prefix="texts",
        form_kwargs={"study": study, "aspects": list(study.aspects.all())},
    )
    if study.state != Study.State.DRAFT:
        made.extra = 0
    return made


def _ends(expected: Mapping[str, practice.Range]) -> dict[str, int]:
    return {
        f"{key}-{end}": value
        for key, range_ in expected.items()
        for end, value in zip(("from", "to"), range_, strict=True)
    }
