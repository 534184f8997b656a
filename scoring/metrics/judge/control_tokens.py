"""Token ids of a prompt whose control tokens are the chat template's, never a text's.

A tokenizer takes every `</s>` for the end of a text, wherever it stands: a text that
holds one could end the turn of the user, and begin another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise, product
from typing import Any

from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.likelihood import Ids

PROBE = "Read the text and answer."
# Before a stretch, so that the tokenizer does not take it for the start of a text.
LEADS = ("", "\n", ">", "x")

Render = Callable[[str], str]  # a prompt in its chat template


def names(tokenizer: Any) -> tuple[str, ...]:
    """All control tokens: the special ones, and those that its chat template writes."""
    template = str(tokenizer.chat_template or "")
    added = tokenizer.added_tokens_decoder.values()
    marks = {str(one) for one in added if one.special or str(one) in template}
    # The longest first, so that a pattern of them takes the whole of each.
    found = {one for one in {*tokenizer.all_special_tokens, *marks} if one.strip()}
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


class Tokens:
    """Tokenises prompts."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer, self.names = tokenizer, names(tokenizer)
        self._pattern = re.compile("|".join(map(re.escape, self.names)) or r"(?!)")
        controls = tokenizer.convert_tokens_to_ids(list(self.names))
        # A letter that the model does not know is no control token.
        self._controls = set(controls) - {tokenizer.unk_token_id}

    def within(self, text: str) -> str:
        """The first control token that a text holds, or ""."""
        found = self._pattern.search(text)
        return found[0] if found else ""

    def plain(self, texts: Sequence[str]) -> list[Ids]:
        """Of texts in which nothing is a control token."""
        rows = self._ids(texts) if texts else []
        held = [k for k, text in enumerate(texts) if self.within(text)]
        for k in held:
            rows[k] = self._split(texts[k])
        return rows

    def in_chat(self, prompts: Sequence[str], render: Render) -> list[Ids]:
        """Of prompts in a chat template, whose control tokens are the only ones.

        Raises:
            MetricError: If the template does not let the two be told apart.
        """
        rows = self._ids([render(one) for one in prompts]) if prompts else []
        held = [k for k, prompt in enumerate(prompts) if self.within(prompt)]
        if held:
            in_pieces = self._in_pieces(render)
            for k in held:
                rows[k] = in_pieces(prompts[k])
        return rows

    def _in_pieces(self, render: Render) -> Callable[[str], Ids]:
        """A way to tokenise that gives a harmless prompt the ids that it has whole."""
        head, found, tail = render(PROBE).partition(PROBE)
        ends = [one.end() for one in self._pattern.finditer(head)]
        start, stop = (ends or [0])[-1], len(tail)
        if after := self._pattern.search(tail):
            stop = after.start()
        spaces = len(head[start:]) - len(head[start:].lstrip())
        (whole,) = self._ids([render(PROBE)])

        def ids(cut: int, lead: str, prompt: str) -> Ids:
            text = render(prompt)
            if not (found and text.startswith(head) and text.endswith(tail)):
                raise MetricError(CHANGES)
            end = len(text) - len(tail) + stop
            before, behind = self._ids([text[:cut], text[end:]])
            return before + self._split(text[cut:end], lead) + behind

        for cut, lead in product((start, start + spaces), LEADS):
            with suppress(MetricError):
                if ids(cut, lead, PROBE) == whole:
                    return partial(ids, cut, lead)
        raise MetricError(CHANGES)

    def _split(self, text: str, lead: str = "") -> Ids:
        """The ids of a text without control tokens, as they are behind `lead`."""
        before, ids = self._ids([lead, lead + text], split_special_tokens=True)
        if ids[: len(before)] != before:
            raise MetricError(CHANGES)
        ids = ids[len(before) :]
        if not self._controls.intersection(ids):
            return ids
        # Some models of pieces know "</s>" as one: no piece goes over a cut.
        inside = [one.start() + 1 for one in self._pattern.finditer(text)]
        parts = [text[a:b] for a, b in pairwise([0, *inside, len(text)])]
        rows = self._ids(parts, split_special_tokens=True)
        return tuple(one for row in rows for one in row)

    def _ids(self, texts: Sequence[str], **options: Any) -> list[Ids]:
        given = {"add_special_tokens": False, "truncation": False, "verbose": False}
        found = self._tokenizer(list(texts), **given, **options)["input_ids"]
        return [tuple(ids) for ids in found]


CHANGES = (
    "a text holds control tokens of this model, and its chat template does not let"
    " them be told from its own: set the option chat to false"
)
