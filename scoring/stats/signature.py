"""One line that says how a number was made, as sacrebleu has it (Post 2018)."""

from __future__ import annotations

from urllib.parse import unquote

# Goes up whenever the same data and options would give another number.
VERSION = 1

# Shown in this order; others follow by name.
ORDER = (
    "aspect level group average undefined n raters qc test correction family".split()
    + "draws unit seed".split()
)

Part = str | int | float | bool | None


def text(statistic: str, **parts: Part) -> str:
    """Write what a number depends on.

    The statistic, then name:value for each part in a fixed order, then the version.
    Equal signatures on equal data mean equal numbers. `%`, `|` and `:`, and line
    breaks in a name are written as %25, %7C, %3A and so on.

    Args:
        statistic: What was computed, for example "pearson".
        parts: Whatever changes the number; None = does not apply, is left out.

    >>> text("pearson", n=360, group="none", seed=7)
    'pearson|group:none|n:360|seed:7|v:1'
    """
    given = {name: value for name, value in parts.items() if value is not None}
    if "v" in given:
        raise ValueError("the version is not for the caller to say")
    known = [name for name in ORDER if name in given]
    written = [
        f"{_escape(name)}:{_escape(_word(given[name]))}"
        for name in (*known, *sorted(set(given) - set(known)))
    ]
    return "|".join((_escape(statistic), *written, f"v:{VERSION}"))


def parse(signature: str) -> dict[str, str]:
    """Read a signature back; all values are text.

    >>> parse("pearson|n:360|v:1")
    {'statistic': 'pearson', 'n': '360', 'v': '1'}
    """
    first, *parts = signature.split("|")
    pairs = (part.partition(":") for part in parts)
    found = {unquote(name): unquote(value) for name, _, value in pairs}
    return {"statistic": unquote(first), **found}


def _word(value: Part) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)


def _escape(word: str) -> str:
    for mark in "%|:\n\r":  # % first: the others bring it in
        word = word.replace(mark, f"%{ord(mark):02X}")
    return word
