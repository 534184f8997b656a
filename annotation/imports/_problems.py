"""Everything that is wrong with a file, said at once. Pure."""

from __future__ import annotations

LISTED = 200  # nobody reads more, and a bad file may have one for each of its cells


class UploadError(ValueError):
    """The file was refused and nothing was changed. `lines` says why, all at once."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class Unreadable(Exception):
    """What follows in the file cannot be checked. The problem is noted already."""


class Problems:
    """Collects sentences, and the line of the file that each is about."""

    def __init__(self) -> None:
        self._found: list[tuple[int, str]] = []
        self._more = 0

    def add(self, message: str, line: int = 0) -> None:
        if len(self._found) == LISTED:
            self._more += 1
        else:
            self._found.append((line, message))

    def __bool__(self) -> bool:
        return bool(self._found)

    def lines(self) -> list[str]:
        """In the order of the file, what is about the whole of it first."""
        said = [
            f"line {line}: {message}" if line else message
            for line, message in sorted(self._found, key=lambda found: found[0])
        ]
        if self._more:
            said.append(f"... and {self._more} more problems.")
        return said

    def raise_if_any(self) -> None:
        if self._found:
            raise UploadError(self.lines())


def shown(value: object) -> str:
    """A value from a file as it may stand in a sentence: quoted, short, one line."""
    text = " ".join(str(value)[:200].split())
    text = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
    )
    return f'"{text[:60]}..."' if len(text) > 60 else f'"{text}"'
