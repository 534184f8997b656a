"""What may be chosen of an LLM judge."""

from __future__ import annotations

import dataclasses

from scoring.endpoints import configuration
from scoring.metrics._engine import models
from scoring.metrics._engine.base import option

MODES = tuple(configuration.MODES)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "Qwen/Qwen2.5-1.5B-Instruct",
        "causal language model that follows instructions",
        path="model",
        typed=models.MODEL_HELP,
        label="Language model that follows instructions",
        takes=("instruct",),
        network=True,
    )
    aspects: str = option(
        "quality: How good is the text?",
        "one question per line: `fluency: How fluent is the text?`, or with a scale"
        " `fluency 1-7: ...` (default 1-5, at most 0-100); or JSON. {label}, {prefix},"
        " {source} and {reference} stand for those of the text",
        fill="aspects",
        label="Questions",
    )
    prompt: str = option(
        "",
        "your own prompt, with {text} and {question} and optionally {prefix}, {label},"
        " {source}, {reference}, {low}, {high}",
        label="Your own prompt",
    )
    chat: bool = option(
        True,
        "use the tokenizer's chat template, if it has one",
        label="Use the model’s chat template",
    )
    dtype: str = models.dtype_option()
    mode: str = option(
        "logprobs",
        "how a model over the network is read; others have logprobs only",
        MODES,
        label="How answers are read",
        titles=tuple(configuration.MODES.values()),
        late=True,
        hidden=True,
    )
    scheme: str = option(
        "",
        "which errors are marked, in the mode spans: categories and severities with"
        " their weights, as JSON",
        fill="scheme",
        label="Errors to mark",
        late=True,
        hidden=True,
    )
    samples: int = option(
        20,
        f"for the mean of several answers: 2 to {configuration.MOST_SAMPLES}",
        label="Answers per question",
        late=True,
        hidden=True,
    )
    steps: str = option(
        "",
        "how to arrive at the number, step by step; for several questions below lines"
        " like `fluency:`",
        label="Evaluation steps",
        late=True,
    )
    examples: int = option(
        0,
        "how many texts that people rated, all of other prompts, are shown with each"
        " question, 0 to 10",
        label="Rated examples",
        late=True,
    )
    examples_seed: int = option(
        0,
        "a number that decides which texts are shown",
        label="Seed of the rated examples",
        late=True,
    )
    rated: str = option(
        "",
        'the rated texts, one per line: {"text": "...", "prefix": "...", "ratings":'
        ' {"fluency": 4}}',
        fill="rated",
        label="Rated texts",
        late=True,
        hidden=True,
    )
