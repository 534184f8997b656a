from __future__ import annotations

from typing import Any

from django import forms

from annotation import imports
from annotation.assistant.choices import OF
from annotation.imports import intakes
from annotation.models import Upload
from evalapp.limits import forms as storable_forms

TITLE_OF_TEXTS = "Texts, with ratings and scores if there are any"
YES = "Yes"
AGREED = {
    "ids": "Yes: I compared these pairs with my file, and each value belongs to its"
    " text.",
    intakes.SYSTEMS: "Yes, add them to the study.",
}


def _doubt(direction: intakes.Direction) -> str:
    """Where the file says what the name of the score does not."""
    if direction.by_name in ("", direction.value):
        return ""
    return f"Its name says: {intakes.DIRECTIONS[direction.by_name].lower()}."


def kinds() -> list[tuple[str, str]]:
    """What a file that is added to a study can be."""
    others = [(key, one.title) for key, one in intakes.INTAKES.items()]
    return [(intakes.TEXTS, TITLE_OF_TEXTS), *others]


class KindForm(storable_forms.Form):
    """What the file is, where that was recognised wrongly or is not clear."""

    kind = forms.ChoiceField(label="What this file is", choices=kinds)

    @classmethod
    def of(cls, upload: Upload) -> KindForm:
        return cls(initial={"kind": upload.choices.get(OF, intakes.TEXTS)})


class BroughtForm(storable_forms.Form):
    """Which way each score is better, and what only a person can say."""

    def __init__(self, data: Any, *, brought: intakes.Brought) -> None:
        super().__init__(data)
        self._brought = brought
        for n, direction in enumerate(brought.directions):
            titles = intakes.DIRECTIONS
            self.fields[f"direction-{n}"] = forms.ChoiceField(
                label=direction.output,
                choices=[(word, titles[word]) for word in direction.allowed],
                initial=direction.value,
                help_text=_doubt(direction),
            )
        for question in brought.questions:
            self.fields[f"agree-{question.code}"] = forms.BooleanField(
                label=AGREED.get(question.code, YES),
                error_messages={
                    "required": "Tick this if it is right. If not, nothing can be"
                    " stored: correct the file, and choose it again."
                },
            )

    def directions(self) -> list[forms.BoundField]:
        return [self[f"direction-{n}"] for n in range(len(self._brought.directions))]

    def questions(self) -> list[tuple[imports.Question, forms.BoundField]]:
        return [(one, self[f"agree-{one.code}"]) for one in self._brought.questions]

    def answers(self) -> intakes.Answers:
        given = self.cleaned_data
        return intakes.Answers(
            directions={
                direction.output: given[f"direction-{n}"]
                for n, direction in enumerate(self._brought.directions)
            },
            agreed=[one.code for one in self._brought.questions],
        )
