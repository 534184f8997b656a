"""What a metric sees of a text."""

from __future__ import annotations

from annotation.models import Generation, Negative, Prompt
from annotation.models.texts import full_text
from scoring.metrics import Example


def example_of(generation: Generation) -> Example:
    """What a metric sees of a text. Reads its prompt, label and references."""
    return _example(generation.prompt, generation.full_text)


def example_of_negative(negative: Negative) -> Example:
    """As raters saw it: as if it had been written for the prompt of its page."""
    prompt = negative.survey.prompt
    return _example(prompt, full_text(prompt.prefix, negative.text))


def _example(prompt: Prompt, text: str) -> Example:
    return Example(
        text=text,
        prefix=prompt.prefix,
        label=prompt.label.name if prompt.label else "",
        source=prompt.source,
        references=tuple(reference.text for reference in prompt.references.all()),
    )
