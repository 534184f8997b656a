from __future__ import annotations

from typing import Any

from django import template

register = template.Library()


@register.filter
def counted(n: int, what: str) -> str:
    """1 text, 1,056 texts."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


@register.simple_tag
def cause_in_words(cause: dict[str, Any], unit: str) -> str:
    """One sentence for all lines that are wrong in the same way, and where they are."""
    lines, n, said = cause["lines"], cause["n"], str(cause["example"])
    if not lines:
        return said
    said = said.rstrip(".")
    verb = said.startswith(("is ", "has ", "must "))
    if n == 1:
        colon = "" if verb else ":"
        return f"{unit.capitalize()} {lines[0]}{colon} {said}."
    named = ", ".join(f"{line:,}" for line in lines)
    more = f" and {n - len(lines):,} more" if n > len(lines) else ""
    each = "each " if verb else ""
    return f"{counted(n, unit).capitalize()} ({named}{more}): {each}{said}."
