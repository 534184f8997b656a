"""Text of others within LaTeX and BibTeX. Pure."""

from __future__ import annotations

from scoring.drawing.tables import latex_text


def escaped(text: str, longest: int = 500) -> str:
    """On one line, so that no character has a meaning."""
    short = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return latex_text(" ".join(short.split()))
