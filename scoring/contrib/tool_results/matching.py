"""Which text of a study is meant by a text of another tool's results."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from annotation.imports import ids_of, shown
from annotation.models import Study
from scoring.contrib.tool_results.readers import Sample
from scoring.runs.wordings import spaced, wordings

MOST_NAMED = 3


class Match(NamedTuple):
    """The id of the text that is meant, or why none is."""

    text: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Text:
    key: str
    prompts: frozenset[bytes]  # what the prompt may be called
    parts: tuple[str, ...]  # of the prompt, which a longer one contains
    system: str


class Texts:
    """The texts of a study by key, by words and by prompt. One query.

    Words are kept as hashes, and spaces count for nothing: tools trim them.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._texts: dict[int, _Text] = {}
        self._by_key: dict[str, int] = {}
        self._by_words: dict[bytes, set[int]] = defaultdict(set)
        self._by_prompt: dict[bytes, set[int]] = defaultdict(set)
        fields = "pk", "key", "text", "prompt__prefix", "prompt__source", "system__name"
        rows = study.generations.values_list(*fields)
        for pk, key, text, prefix, source, system in rows.iterator():
            prompts = frozenset(map(_hash, _prompts(prefix, source)))
            parts = tuple(filter(None, (spaced(prefix), spaced(source))))
            self._texts[pk] = _Text(key, prompts, parts, system or "")
            self._by_key[key] = pk
            for words in wordings(prefix, text):
                self._by_words[_hash(words)].add(pk)
            for prompt in prompts:
                self._by_prompt[prompt].add(pk)

    def find(self, sample: Sample) -> Match:
        """The one text that fits all that the results say of it.

        First by key; a text of that key with other words is another text. Else by
        words, and among the same words by system and prompt. Without words by prompt.
        """
        called = [self._by_key[key] for key in sample.keys if key in self._by_key]
        for pk in called:
            if self._agrees(pk, sample):
                return Match(pk)
        fits = self._alike(sample)
        if len(fits) == 1:
            return Match(fits.pop())
        return Match(None, self._told(sample, fits, called))

    def key(self, pk: int) -> str:
        return self._texts[pk].key

    @property
    def ids(self) -> dict[str, int]:
        return self._by_key

    def _agrees(self, pk: int, sample: Sample) -> bool:
        if sample.texts:
            return any(pk in self._of_words(one) for one in sample.texts)
        if self._has_key_alone(pk, sample):
            return self._texts[pk].key not in self._doubtful
        return self._is_prompt_of(pk, sample.prompt)

    def _has_key_alone(self, pk: int, sample: Sample) -> bool:
        """Nothing can be compared but a key, which another text may have there."""
        return not sample.texts and not (sample.prompt and self._texts[pk].parts)

    @cached_property
    def _doubtful(self) -> set[str]:
        """Keys that EvalApp gave, or may have given: no other file knows them."""
        ids = ids_of(self._study)
        return ids.invented | ids.unknown

    def _is_prompt_of(self, pk: int, prompt: str) -> bool:
        """Prompts of tools have instructions and examples around what is asked."""
        parts, given = self._texts[pk].parts, spaced(prompt)
        return not parts or any(part in given for part in parts)

    def _alike(self, sample: Sample) -> set[int]:
        if sample.texts:
            fits = {pk for one in sample.texts for pk in self._of_words(one)}
        else:
            fits = set(self._by_prompt.get(_hash(sample.prompt), ()))
        if len(fits) > 1:
            fits = self._of_system(fits, sample.system) or fits
        if len(fits) > 1 and sample.prompt:
            fits = {pk for pk in fits if self._is_prompt_of(pk, sample.prompt)} or fits
        return fits

    def _of_words(self, text: str) -> set[int]:
        return self._by_words.get(_hash(text), set())

    def _of_system(self, fits: Iterable[int], system: str) -> set[int]:
        """A tool may put who offers a model before its name: openai/gpt-4o."""
        names = {system.casefold(), system.rpartition("/")[2].casefold()} - {""}
        return {pk for pk in fits if self._texts[pk].system.casefold() in names}

    def _told(self, sample: Sample, fits: set[int], called: list[int]) -> str:
        if fits:
            some = sorted(self.key(pk) for pk in fits)
            named = ", ".join(map(shown, some[:MOST_NAMED]))
            more = ", …" if len(some) > MOST_NAMED else ""
            return f"{len(some)} texts of the study fit: {named}{more}"
        if called and self._has_key_alone(called[0], sample):
            return (
                f"nothing but the key {shown(self.key(called[0]))} says which text is"
                " meant, and EvalApp may have given it"
            )
        if called:
            what = "other words" if sample.texts else "another prompt"
            return f"the text {shown(self.key(called[0]))} of the study has {what}"
        if sample.texts:
            return f"no text of the study has the words {shown(sample.texts[0])}"
        if sample.keys:
            named = ", ".join(map(shown, sample.keys[:MOST_NAMED]))
            return f"no text of the study has the key {named}"
        return "it has neither a name nor words"


def _hash(text: str) -> bytes:
    return hashlib.blake2b(
        spaced(text).encode("utf-8", "replace"), digest_size=16
    ).digest()


def _prompts(prefix: str, source: str) -> Iterator[str]:
    yield from filter(None, (prefix, source))
    if prefix and source:
        yield f"{source} {prefix}"
