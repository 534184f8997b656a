"""What a model is asked: a text with a blank, written as one of three patterns.

Table 5 of Ke et al. (2022) keeps the model and replaces the input and output pattern by
those of other metrics: "Both of them remove the mask token in the input pattern, and
PPL-GPT additionally places the input pattern at the beginning of the output pattern."

ctrleval   f = text with the gap         g = what fills the gap
bartscore  f = text without the gap      g = what fills the gap
ppl_gpt    f = text without the gap      g = f, then what fills the gap; all is scored
"""

from __future__ import annotations

from typing import NamedTuple

PATTERNS = ("ctrleval", "bartscore", "ppl_gpt")


class Blank(NamedTuple):
    """A text with one gap in it, and what fills the gap."""

    before: str
    after: str
    target: str

    @property
    def is_bare(self) -> bool:
        """Whether no text is around the gap."""
        return not (self.before + self.after).strip()


def written(blank: Blank, pattern: str, mask: str) -> tuple[str, str]:
    """Input and output pattern of a blank, the gap written as `mask`."""
    before, after, target = blank
    if pattern == "ctrleval":
        return before + mask + after, target
    source = _joined(before, after).strip()
    if pattern == "ppl_gpt" and source:
        target = _joined(f"{source} ", target)
    return source, target


def _joined(left: str, right: str) -> str:
    """One text, with one space where both bring one."""
    return left + (right[1:] if left[-1:] == right[:1] == " " else right)
