"""Tests what contrastive metrics assume: that the expert is the better model.

E(p_small) < E(p_large) (Lu et al. 2024, eq. 2): the expert is the better model. It is
taken to be so if its loss, the mean negative log-probability of a token of human text,
is lower than the amateur's.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics._cdm.contrast import Contrast, Steps
from scoring.metrics._engine import lines as _lines
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Example, MetricError, option

MOST_TEXTS = 500  # enough to know which of two losses is lower
# Without such a file. Few, because they are scored besides those that are asked about.
MOST_REFERENCES = 16


def held_out_option() -> Any:
    return option(
        "",
        "human texts that neither model was trained on, to check that the expert"
        " predicts them better: a file with one text per line, or .jsonl; the first"
        f" {MOST_TEXTS} are used",
        path="file",
        label="Human texts for a check",
    )


def texts(path: str) -> list[Example]:
    """Read held-out texts: a line each, or JSON objects like those that are scored.

    Raises:
        MetricError: If there are none to read.
    """
    file = Path(path).expanduser()
    try:
        with file.open("rb") as lines:
            if file.suffix == ".jsonl":
                rows = (example for example, _ in _lines.read(lines))
            else:
                rows = (Example(one.decode().strip()) for one in lines if one.strip())
            found = list(itertools.islice(rows, MOST_TEXTS))
    except OSError as error:
        raise MetricError(f"held_out: cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise MetricError(f"held_out: {file} is not UTF-8") from None
    except _lines.InputError as error:
        raise MetricError(f"held_out: {file}, {error}") from error
    if not found:
        raise MetricError(f"held_out: there is no text in {file}")
    return found


def content_hash(path: str) -> str:
    """Of a file that an option names, for signatures."""
    return models.hash_of(Path(path).expanduser()) if path else "none"


def on_held_out(contrast: Contrast, path: str) -> tuple[str, ...]:
    """A note with both losses, unless the expert's is the lower one."""
    found = contrast(texts(path))
    losses = _losses(found)
    if losses is None:
        return (f"The held-out texts could not be scored: {found[0]}.",)
    if losses[0] < losses[1]:
        return ()
    return (
        "The expert is not the better model. On the held-out texts its loss is"
        f" {losses[0]:.3f} nats per token and the amateur's is {losses[1]:.3f}: the"
        " metric assumes that the expert's is lower, so its scores may mean nothing.",
    )


def on_examples(
    contrast: Contrast, examples: Sequence[Example], found: Sequence[Steps | str]
) -> tuple[str, ...]:
    """The same without held-out text: on references, else on the texts themselves.

    Without figures, since texts are scored in portions and each would say its own.
    """
    references = _references(examples)
    if references:
        found = contrast(references)
    what = "references" if references else "texts themselves"
    losses = _losses(found)
    if losses is None or losses[0] < losses[1]:
        return ()
    return (
        f"The expert may not be the better model. On the {what}, or at least on some of"
        " them, its loss is not lower than the amateur's, which the metric assumes. To"
        " check, give human texts as held_out.",
    )


def _references(examples: Sequence[Example]) -> list[Example]:
    """The first references, each given what its text is given."""
    found = (
        Example(
            reference,
            prefix=one.prefix if reference.startswith(one.prefix) else "",
            source=one.source,
        )
        for one in examples
        for reference in one.references[:1]
        if reference.strip()
    )
    return list(itertools.islice(dict.fromkeys(found), MOST_REFERENCES))


def _losses(found: Sequence[Steps | str]) -> tuple[float, float] | None:
    """Of expert and amateur over all tokens, in nats; None where there are none."""
    steps = [one for one in found if isinstance(one, Steps)]
    if not steps:
        return None
    logs = np.concatenate([np.array(one) for one in steps], axis=1)
    expert, amateur = -logs.mean(axis=1)
    return float(expert), float(amateur)
