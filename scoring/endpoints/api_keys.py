"""Keys: read from the environment where they are sent, and blacked out elsewhere."""

from __future__ import annotations

import os

from annotation.storable import secrets
from scoring.errors import MetricError

INSTEAD = "[key]"


class Key:
    """The key of an endpoint. Whatever prints it prints the variable's name."""

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str) -> None:
        """Read the variable; "" is an endpoint without a key.

        Raises:
            MetricError: If the variable is not set, or cannot be sent.
        """
        self.variable = variable
        self._value = os.environ.get(variable, "").strip() if variable else ""
        if variable and not self._value:
            raise MetricError(
                f"the variable {variable}, which holds the key of the endpoint, is not"
                " set: set it where EvalApp runs"
            )
        if not self._value.isascii() or not self._value.isprintable():
            raise MetricError(
                f"the variable {variable} holds characters that no key can have: set"
                " it again"
            )

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"

    def header(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def hidden(self, text: str) -> str:
        """The text without the key, which servers repeat in errors and answers."""
        return secrets.hidden(text, self._value, INSTEAD)
