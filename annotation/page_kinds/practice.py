"""What is practised before the first page of a kind: a worker tries, and reads beside
what they said what a careful reader would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from annotation.models import AttributeLabel, Practice, Prompt, Study
from annotation.page_kinds.content import Card
from annotation.page_kinds.questions import Position

# What is said of a text, and what is expected of it, is JSON, by what is asked: the key
# of a question, or a name of the kind's own.
Answers = Mapping[Position, Any]
Expected = Mapping[str, Any]


class Text(NamedTuple):
    text: str
    expected: Expected  # what is left out is free
    why: str = ""  # the feedback, in the researcher's words


@dataclass(frozen=True, slots=True)
class PracticePage:
    study: Study
    prompt: Prompt  # that all texts have in common
    texts: Sequence[Text]

    @classmethod
    def of(cls, practice: Practice) -> PracticePage:
        """One query."""
        rows = practice.texts.values_list("text", "expected", "why")
        prompt = prompt_of(practice)
        return cls(practice.study, prompt, [Text(*row) for row in rows])


def prompt_of(practice: Practice) -> Prompt:
    label = AttributeLabel(name=practice.label) if practice.label else None
    return Prompt(prefix=practice.prefix, source=practice.source, label=label)


class FeedbackCard(Card, Protocol):
    """A text after a try."""

    @property
    def met(self) -> bool:
        """Whether all was said as expected."""


class Expectation(Protocol):
    """The part of a researcher's form that says what is expected of one text."""

    @property
    def template(self) -> str: ...

    @property
    def errors(self) -> Mapping[str, Any]:
        """Sentences, by field."""

    @property
    def is_empty(self) -> bool:
        """Whether somebody left it as it comes."""

    def expected(self) -> Expected:
        """What was filled in without errors."""


class FormText(NamedTuple):
    """A text of a researcher's form, and where its fields stand."""

    position: int  # from 1
    prefix: str  # of the names of its fields
    text: str  # as it stands in the form
    expected: Expected  # as it is stored


class PracticeTask(Protocol):
    """What a kind lets people practise."""

    @property
    def asks(self) -> Sequence[str]:
        """What workers do with a text, in words: "rate". Of several kinds the one that
        asks most is practised."""

    @property
    def passing(self) -> str:
        """What passes, in a sentence."""

    @property
    def style(self) -> str:
        """As `Content.style`."""

    @property
    def script(self) -> str:
        """As `Content.script`."""

    def names(self, study: Study) -> Sequence[str]:
        """What is asked of each text."""

    def problem(self, page: PracticePage, text: Text) -> str:
        """Why this cannot be expected; empty where it can."""

    def expectation(
        self, page: PracticePage, text: FormText, data: Mapping[str, Any] | None
    ) -> Expectation:
        """For the form of a study whose practice page has this prompt."""

    def cards(
        self, page: PracticePage, answers: Answers, sent: Mapping[str, str]
    ) -> Sequence[Card]:
        """To be answered, in the order of the texts.

        Args:
            page: What is practised.
            answers: Given so far.
            sent: The form that these came with, which came back; empty: none did.
        """

    def parse(self, page: PracticePage, data: Mapping[str, str]) -> Answers:
        """What a form brings. What makes no sense counts as missing."""

    def feedback(self, page: PracticePage, answers: Answers) -> Sequence[FeedbackCard]:
        """On answers to all that was asked then, which may be less than now."""
