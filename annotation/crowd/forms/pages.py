"""What the form of a page carries, whatever kind of page it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext_lazy

from annotation import page_kinds, storable
from annotation.crowd import consent
from annotation.models import Seat, Study
from annotation.models.surveys import digest_of
from annotation.page_kinds import Answers
from annotation.seats import writing
from annotation.seats.writing import Writing
from annotation.watching import reports
from evalapp.limits import forms as storable_forms

MAX_COMMENT = 2000
# Time in view as the page writes it: "1:5300 2:870", milliseconds for each position.
TIME = re.compile(r"\b([0-9]{1,2}):([0-9]{1,9})\b")
MAX_TIMES = 400


CHANGED = gettext_lazy("This text has changed. Please read it again.")


class ConsentForm(storable_forms.Form):
    agree = forms.BooleanField(
        label=gettext_lazy("I have read this and want to take part"),
        error_messages={"required": gettext_lazy("Tick the box to take part.")},
    )
    version = forms.CharField(
        widget=forms.HiddenInput, error_messages={"required": CHANGED}
    )

    def __init__(self, study: Study, data: Mapping[str, str] | None = None) -> None:
        self.words = consent.words(study)
        self.digest = digest_of(self.words)
        super().__init__(data, initial={"version": self.digest})

    def clean_version(self) -> str:
        # Kept as agreed to are the words that the worker saw, or none.
        if self.cleaned_data["version"] != self.digest:
            raise forms.ValidationError(CHANGED)
        return self.digest


def report_name(position: int) -> str:
    return f"report-{position}"


def times(seat: Seat) -> str:
    """Time in view so far, from which the page continues."""
    return " ".join(f"{position}:{ms}" for position, ms in seat.visible.items())


@dataclass(frozen=True, slots=True)
class Posted:
    """The contents of a page's form, as far as they make sense."""

    answers: Answers
    comment: str | None  # None where the form has no such field
    visible: dict[int, int]  # position -> milliseconds
    reports: dict[int, str]  # position -> what is wrong there
    writing: Writing | None

    @property
    def is_empty(self) -> bool:
        return not self.answers and not self.visible and self.comment is None


def posted(seat: Seat, data: Mapping[str, str]) -> Posted:
    """What is no value of the scale counts as missing, what is no time as none."""
    comment = data.get("comment")
    reasons = {
        position: plain(data.get(report_name(position), ""), reports.MAX_CHARACTERS)
        for position in range(1, len(seat.order) + 1)
    }
    return Posted(
        answers=page_kinds.get(seat.survey.kind).answering.parse(seat, data),
        comment=None if comment is None else plain(comment, MAX_COMMENT),
        visible={
            int(position): int(ms)
            for position, ms in TIME.findall(data.get("visible", "")[:MAX_TIMES])
        },
        reports={position: reason for position, reason in reasons.items() if reason},
        writing=writing.read(data.get("writing", "")),
    )


def plain(words: str, most: int) -> str:
    """As they can be kept."""
    return storable.cleaned(words).strip()[:most]
