"""Who answers: the model of the test question, and others that came since."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scoring.endpoints.answers import Answer

UNNAMED = "unnamed"  # who answers without saying which model it is
MOST_OTHERS = 50  # answers of another model in a row; then it would cost for nothing


class Identity(NamedTuple):
    """Who answered."""

    model: str
    fingerprint: str | None

    def __str__(self) -> str:
        return self.model + (f" ({self.fingerprint})" if self.fingerprint else "")


class Respondents:
    """Keeps count of who answers a client.

    Names get a date, and fingerprints rotate among the machines of one service. So
    answers of others are scored and told, unless the operator wants them apart.
    """

    def __init__(self, hidden: Callable[[str], str], *, split: bool) -> None:
        """`hidden` blacks out the key; `split`: others' answers are not scored."""
        self._hidden, self.split = hidden, split
        self.first: Identity | None = None  # once the probe was answered
        self.others: dict[Identity, int] = {}  # and how many answers they gave
        self._in_a_row = 0

    def of(self, answer: Answer) -> Identity:
        name = self._hidden(answer.model) or UNNAMED
        return Identity(name, answer.fingerprint and self._hidden(answer.fingerprint))

    def is_other(self, answer: Answer) -> bool:
        return self.first is not None and self.of(answer) != self.first

    def refuses(self, answer: Answer) -> bool:
        """Whether the answer may not be scored with those of the first."""
        return self.split and self.is_other(answer)

    def count(self, answer: Answer) -> None:
        """An answer that is read."""
        if self.is_other(answer):
            who = self.of(answer)
            self.others[who] = self.others.get(who, 0) + 1

    def observe(self, answer: Answer) -> None:
        """An answer that came just now."""
        self._in_a_row = self._in_a_row + 1 if self.refuses(answer) else 0

    def begin(self) -> None:
        """Other texts are asked about: what was said of the last ones is over."""
        self.others.clear()
        self._in_a_row = 0

    @property
    def why_not(self) -> str:
        """Why nobody need be asked any more, or ""."""
        if self._in_a_row < MOST_OTHERS:
            return ""
        return (
            f"nobody was asked: the last {MOST_OTHERS} answers came from another"
            f" model than {self.first}, which answered at the start of the run"
        )

    def refusal(self, answer: Answer) -> str:
        return (
            f"another model answered: {self.of(answer)} instead of {self.first}, which"
            " answered at the start of the run"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Said beside the scores.

        Without numbers: what several parts of a run say alike is said once.
        """
        return tuple(map(self._note, self.others))

    def _note(self, who: Identity) -> str:
        if self.split:
            return (
                f"During the run the server changed its model: answers came from {who}"
                f" instead of {self.first} and were not scored. Start another run"
                " to score these texts under the other model."
            )
        return (
            f"The test question was answered by {self.first}, some of the others by"
            f" {who}. All of these answers are scored."
        )
