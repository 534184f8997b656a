"""What a metric sees of a text: the one door to prompts, sources and references."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.human_scores import corrections
from annotation.models import Generation, Negative, Prompt
from annotation.models.texts import full_text
from scoring.metrics import Example


def examples_of(texts: Sequence[Generation]) -> list[Example]:
    """What a metric sees of texts. Reads their prompts, labels and references.

    References of both kinds are told apart: those of the prompt, and the corrections of
    this very text. The metric chooses, by its option.
    """
    ids = [text.pk for text in texts]
    own = corrections.of_texts(Generation.objects.filter(pk__in=ids)) if ids else {}
    return [
        _example(text.prompt, text.full_text, own.get(text.pk, ())) for text in texts
    ]


def example_of(generation: Generation) -> Example:
    """The same of one."""
    (found,) = examples_of([generation])
    return found


def examples_of_negatives(negatives: Sequence[Negative]) -> list[Example]:
    """As raters saw them: as if they had been written for the prompt of their page.

    They have no corrections: these would say how to undo the damage.
    """
    prompts = [
        # A turn from elsewhere stands behind the turns of the dialogue around it.
        one.survey.prompt if one.source.turn is None else one.source.prompt
        for one in negatives
    ]
    return [
        _example(prompt, full_text(prompt.prefix, negative.text))
        for negative, prompt in zip(negatives, prompts, strict=True)
    ]


def _example(prompt: Prompt, text: str, targeted: tuple[str, ...] = ()) -> Example:
    return Example(
        text=text,
        prefix=prompt.prefix,
        label=prompt.label.name if prompt.label else "",
        source=prompt.source,
        references=tuple(reference.text for reference in prompt.references.all()),
        targeted=targeted,
    )
