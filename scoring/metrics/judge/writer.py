"""Prompts of a judge on this machine, as the tokens of its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.metrics._engine.base import Example, MetricError
from scoring.metrics._engine.likelihood import Ids
from scoring.metrics.judge.control_tokens import Tokens
from scoring.metrics.judge.questions import Question
from scoring.metrics.judge.rubric import NONE, Rubric

ANCHOR = "Number:"  # what a plain prompt ends in


class Writer:
    """Writes prompts as token ids."""

    def __init__(
        self, tokenizer: Any, template: str, rubric: Rubric = NONE, *, chat: bool
    ) -> None:
        self._tokenizer, self._template = tokenizer, template
        self.rubric = rubric
        self._tokens = Tokens(tokenizer)
        self.held = ""  # the first control token that stood in a prompt
        self.chat = chat and bool(tokenizer.chat_template)
        start = tokenizer.bos_token_id
        # A chat template writes the begin-of-text token itself.
        self._start: Ids = () if self.chat or start is None else (start,)

    def __call__(self, asked: Sequence[tuple[Example, Question]]) -> list[Ids]:
        prompts = [self.rubric.prompt(*one, self._template) for one in asked]
        held = filter(None, map(self._tokens.within, prompts))
        self.held = self.held or next(held, "")
        if self.chat:
            return self._tokens.in_chat(prompts, self._as_chat)
        return [(*self._start, *ids) for ids in self._tokens.plain(prompts)]

    def _as_chat(self, prompt: str) -> str:
        from jinja2 import TemplateError

        try:
            return self._tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}],
                tokenize=False,
                add_generation_prompt=True,
                enable_thinking=False,  # the next token is to be the answer
            )
        except TemplateError as error:
            raise MetricError(
                f"the chat template of the tokenizer does not work ({error}): "
                f"set the option chat to false"
            ) from error


def spellings(
    tokenizer: Any, questions: Sequence[Question], *, chat: bool
) -> dict[int, list[Ids]]:
    """The tokens of each number, with a space before it and without.

    Args:
        tokenizer: Of the model.
        questions: Whose numbers are answers.
        chat: An answer begins a turn: only what is one token counts.

    Raises:
        MetricError: If a number has no spelling that ends in a token of its own.
    """

    def ids(text: str) -> Ids:
        return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])

    start, space = ids(ANCHOR), ids(f"{ANCHOR} ")
    # Behind the anchor, since some tokenizers begin a text in a special way.
    leads = [start] if chat or space[: len(start)] != start else [start, space]
    found = {}
    for number in sorted({n for asked in questions for n in asked.numbers}):
        written = [ids(f"{ANCHOR}{number}"), ids(f"{ANCHOR} {number}")]
        ends = [one[len(start) :] for one in written if one[:-1] in leads]
        found[number] = list(dict.fromkeys(ends))
    tokens = [one for spelled in found.values() for one in spelled]
    unknown = any(tokenizer.unk_token_id in one for one in tokens)
    several = len(set(tokens)) < len(tokens) or unknown
    if several or not all(found.values()):
        raise MetricError(
            "the tokenizer of this model has no token of its own for each of the "
            f"numbers {', '.join(map(str, found))}: choose another model or scale"
        )
    return found
