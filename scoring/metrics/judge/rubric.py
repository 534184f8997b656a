"""What a judge is told beside the question: steps to the answer, and rated examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.metrics._engine.base import Example, OptionError, output_key
from scoring.metrics.judge import examples, prompts
from scoring.metrics.judge.examples import RatedText
from scoring.metrics.judge.questions import FIELDS, Question, digest, problems_of_fields

LONGEST_STEPS = 10_000  # characters, of one question


@dataclass(frozen=True, slots=True)
class Rubric:
    """Steps and rated texts by question; both may be empty."""

    steps: Mapping[str, str] = field(default_factory=dict)
    rated: Mapping[str, Sequence[RatedText]] = field(default_factory=dict)
    examples: int = 0  # shown with each question

    def prompt(self, example: Example, question: Question, template: str = "") -> str:
        """The examples, and the question about a text with its steps."""
        fits = examples.fit(self.rated.get(question.key, ()), example, self.examples)
        steps = self.steps.get(question.key, "")
        asked = prompts.prompt(example, question, template, steps)
        return examples.block(fits, question) + asked

    def lacks(self, example: Example, question: Question) -> str:
        """Why the question cannot be asked about a text, or ""."""
        if not example.text.strip():
            return "there is no text to judge"
        steps = self.steps.get(question.key, "")
        return prompts.lacks(example, prompts.with_steps(question, steps))

    def prompts(
        self, example: Example, questions: Sequence[Question], template: str
    ) -> dict[str, str]:
        """All that is asked about a text, by output; without what cannot be."""
        return {
            asked.output: self.prompt(example, asked, template)
            for asked in questions
            if not self.lacks(example, asked)
        }

    def contents(self, questions: Sequence[Question]) -> dict[str, str]:
        """For the signature, by option. Without steps and examples there is nothing."""
        found = {}
        if self.steps:
            steps = [[asked.key, self.steps[asked.key]] for asked in questions]
            found["steps"] = digest(steps)
        if self.examples:
            found["rated"] = digest(
                [
                    [asked.key, row.number(asked), *_texts(row.example)]
                    for asked in questions
                    for row in self.rated[asked.key]
                ]
            )
        return found


NONE = Rubric()


def of(options: Any, questions: Sequence[Question]) -> Rubric:
    """What the options of an LLM judge say.

    Raises:
        OptionError: If steps or examples will not do.
    """
    n, seed = options.examples, options.examples_seed
    if not 0 <= n <= examples.MOST:
        raise OptionError(
            f"examples={n}: expected a whole number from 0 to {examples.MOST}"
        )
    for name in ("rated", "examples_seed"):
        if not n and getattr(options, name):
            raise OptionError(f"{name}: needs examples, which is 0")
    rows = examples.read(options.rated) if n else []
    if n and not rows:
        raise OptionError(
            f"examples={n}: there are no rated texts to take them from; on a command"
            " line name a file, --rated @rated.jsonl"
        )
    rated = {one.key: examples.chosen(rows, one, n, seed) for one in questions if n}
    return Rubric(steps(options.steps, questions), rated, n)


def steps(text: str, questions: Sequence[Question]) -> dict[str, str]:
    """Evaluation steps by question: one list for all, or one below each `KEY:`.

    Raises:
        OptionError: If a question has none where others have some.
    """
    keys = {asked.output: asked.key for asked in questions}
    common: list[str] = []
    found: dict[str, list[str]] = {}
    lines = common
    for line in text.strip().splitlines():
        key = keys.get(output_key(line.strip().removesuffix(":")), "")
        if key and line.strip().endswith(":"):
            if key in found:
                raise OptionError(f"steps: the line {key}: appears twice")
            lines = found[key] = []
        else:
            lines.append(line)
    if not any(map(str.strip, common)):
        joined = {key: "\n".join(own).strip() for key, own in found.items()}
    elif found:
        raise OptionError(
            "steps: write them once for all questions, or below a line such as"
            f" `{questions[0].key}:` for each question, not both"
        )
    else:
        joined = dict.fromkeys(keys.values(), "\n".join(common).strip())
    _check(joined, list(keys.values()))
    return joined


def _check(found: Mapping[str, str], keys: Sequence[str]) -> None:
    missing = [key for key in keys if not found.get(key)]
    if found and missing:
        raise OptionError(
            f"steps: there are none for {', '.join(missing)}: write them below a line"
            f" `{missing[0]}:`"
        )
    for key, own in found.items():
        if len(own) > LONGEST_STEPS:
            raise OptionError(
                f"steps: those of {key} have more than {LONGEST_STEPS:,} characters"
            )
        if problems := problems_of_fields(own, FIELDS):
            raise OptionError(f"steps: {'; '.join(problems)}")


def written(found: Mapping[str, str]) -> str:
    """Steps as `steps` reads them."""
    return "\n\n".join(f"{key}:\n{own}" for key, own in found.items())


def _texts(example: Example) -> tuple[str, ...]:
    given = example.prefix, example.label, example.source
    return example.text, *given, *example.references
