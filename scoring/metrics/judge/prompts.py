"""What a judge reads: one template for judges here, behind an address, and of pairs.

A judge sees what a text was written for: its source, its label and its opening. A
reference is shown where a question or a prompt of one's own names it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import zip_longest
from typing import NamedTuple

from scoring.metrics._engine.base import Example, OptionError
from scoring.metrics.judge import questions
from scoring.metrics.judge.questions import Question

FIELDS = (*questions.FIELDS, "question")  # of a prompt of one's own
# Without these all texts, or all questions, would get the same answer.
NEEDED = ("text", "question")
MAY_LACK = ("prefix", "label", "source", "reference")

ANSWER = """\
Answer with one number from {low} (least) to {high} (most).
Number:"""


def given(field: str = "", owner: str = "") -> str:
    """The sections about what a text was written for.

    `field` ends the names of the fields, `owner` the headings.
    """
    return (
        f"Input{owner}:\n{{source{field}}}\n\n"
        f"Given feeling, topic or other label{owner}: {{label{field}}}\n\n"
        f"Given opening{owner}:\n{{prefix{field}}}\n\n"
    )


OWN = (
    "Read the text and answer the question about it.\n\n"
    f"{given()}Text:\n{{text}}\n\nQuestion: {{question}}\n{ANSWER}"
)
RATED = f"{given()}Text:\n{{text}}\n\nQuestion: {{question}}\nNumber: {{number}}"
OF_PAIR = (
    "Read two texts and answer the question about them.\n\n"
    f"{given()}"
    f"{given('_a', ' of text A')}Text A:\n{{text_a}}\n\n"
    f"{given('_b', ' of text B')}Text B:\n{{text_b}}\n\n"
    "Question: {question}\n"
)

# In place of what a question names, where it is about no text, or about two that do
# not share it.
IN_GENERAL = {
    "text": "the text",
    "prefix": "its opening",
    "label": "its given label",
    "source": "its input",
    "reference": "its reference",
}

_FIELD = re.compile(r"\{([a-z_]+)\}")
_QUOTED = re.compile(r"[“„«\"]\s?\{([a-z_]+)\}\s?[”“»\"]|\{([a-z_]+)\}")
_PARAGRAPHS = re.compile(r"((?:\r?\n[ \t]*){2,})")
_LINES = re.compile(r"(\r?\n)")


class Pair(NamedTuple):
    """Two texts, and what is asked about them."""

    first: Example
    second: Example
    question: str

    def turned(self) -> Pair:
        return self._replace(first=self.second, second=self.first)


def check(template: str) -> None:
    """Raise OptionError if the fields of a template of one's own will not do."""
    if problems := questions.problems_of_fields(template, FIELDS):
        raise OptionError(f"prompt: {'; '.join(problems)}")
    for field in NEEDED:
        if field not in _named(template):
            there = ", ".join(f"{{{one}}}" for one in FIELDS)
            raise OptionError(f"prompt: {{{field}}} is missing; there are: {there}")


def problems(asked: str) -> list[str]:
    """Braces in a question on two texts that name nothing."""
    return questions.problems_of_fields(asked, questions.OF_TEXT)


def prompt(
    example: Example, question: Question, template: str = "", steps: str = ""
) -> str:
    """The question about a text. An empty template is EvalApp's own.

    Paragraphs and lines that only name what the text lacks are left out. `steps` say
    how to arrive at the answer; they stand below the question.
    """
    values = _values(example) | _ends(question)
    asked = _filled(with_steps(question, steps), values)
    return written(template or OWN, {**values, "question": asked})


def with_steps(question: Question, steps: str) -> str:
    """The question, and below it how to arrive at the answer."""
    return question.asked + (f"\nEvaluation steps:\n{steps}" if steps else "")


def rated(example: Example, question: Question, number: int) -> str:
    """A text with the number that people gave it."""
    values = _values(example) | _ends(question)
    asked = _filled(question.question, values)
    return written(RATED, {**values, "question": asked, "number": str(number)})


def of_pair(pair: Pair) -> str:
    """The question about two texts, without how to answer.

    What they were both written for is shown once, and what differs with each.
    """
    first, second = _values(pair.first), _values(pair.second)
    same = {name for name in MAY_LACK if first[name] == second[name]}
    values = {name: first[name] if name in same else "" for name in MAY_LACK}
    for end, own in (("a", first), ("b", second)):
        values[f"text_{end}"] = own["text"]
        values |= {f"{n}_{end}": "" if n in same else own[n] for n in MAY_LACK}
    asked = in_general(pair.question, {*questions.OF_TEXT} - same)
    values["question"] = _filled(asked, {name: first[name] for name in same})
    return written(OF_PAIR, values)


def of_text(asked: str, example: Example) -> str:
    """A question with what it names of a text."""
    return _filled(asked, _values(example))


def in_general(asked: str, names: Collection[str] = questions.OF_TEXT) -> str:
    """What is asked where it is about no text: words in place of what it names.

    >>> in_general("Does it express “{label}”?")
    'Does it express its given label?'
    """

    def words(field: re.Match[str]) -> str:
        name = field[1] or field[2]
        return IN_GENERAL[name] if name in names else field[0]

    return _QUOTED.sub(words, asked)


def lacks(example: Example, asked: str) -> str:
    """Why the question cannot be asked about a text, or ""."""
    values = _values(example)
    for name in MAY_LACK:
        if name in _named(asked) and not values[name].strip():
            return f"the question names {{{name}}}, which this text does not have"
    return ""


def written(template: str, values: Mapping[str, str]) -> str:
    """A template with its fields, without the parts whose fields are all empty."""
    for breaks in (_PARAGRAPHS, _LINES):
        parts = breaks.split(template)  # a part, a break, a part, ...
        both = zip_longest(parts[::2], parts[1::2], fillvalue="")
        template = "".join(part + end for part, end in both if _says(part, values))
    return _filled(template, values)


def _says(part: str, values: Mapping[str, str]) -> bool:
    named = _named(part) & set(values)
    return not named or any(values[name].strip() for name in named)


def _filled(text: str, values: Mapping[str, str]) -> str:
    # All at once: what is put in may hold braces, and is not looked at again.
    return _FIELD.sub(lambda field: values.get(field[1], field[0]), text)


def _named(text: str) -> set[str]:
    return set(_FIELD.findall(text))


def _ends(question: Question) -> dict[str, str]:
    return {"low": str(question.low), "high": str(question.high)}


def _values(example: Example) -> dict[str, str]:
    return {
        "text": example.text,
        "prefix": example.prefix,
        "label": example.label,
        "source": example.source,
        "reference": "\n\n".join(example.references),
    }
