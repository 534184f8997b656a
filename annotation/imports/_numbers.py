"""IDs and numbers of samples for the texts of a file that have none. Pure."""

from __future__ import annotations

from annotation.imports._keys import invented
from annotation.imports._rows import Row


class Numbers:
    """Numbers for rows that have none, once all that have one are known."""

    def __init__(self, keys: set[str], samples: set[int], n_present: int) -> None:
        self._keys, self._samples, self._number = keys, samples, n_present
        self._last: dict[int, int] = {}
        self._dialogue = ""  # key of the last one

    def fresh(self) -> Numbers:
        return Numbers(self._keys, self._samples, self._number)

    def give(self, row: Row) -> None:
        """The k-th text of a system for a prompt gets the number k, in file order. A
        text without an id of its own gets one with its number in the study."""
        if row.turn is not None:
            row.key = self._key_of_turn(row)
        else:
            self._number += 1
            if not row.key:
                while invented(self._number) in self._keys:
                    self._number += 1
                row.key = invented(self._number)
        if row.messages:
            self._dialogue = row.key
        if row.sample:
            return
        group = hash((row.prompt, row.system))
        sample = self._last.get(group, 0) + 1
        while hash((row.prompt, row.system, sample)) in self._samples:
            sample += 1
        row.sample = self._last[group] = sample

    def _key_of_turn(self, row: Row) -> str:
        assert row.turn is not None
        key = row.key or f"{self._dialogue}#{row.turn + 1}"
        while not row.key and key in self._keys:
            key += "'"
        return key
