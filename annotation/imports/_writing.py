"""Checked rows -> rows of the database, piece by piece."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from django.db import connection

from annotation.imports._checks import SYSTEM_FACTS, Present, plain
from annotation.imports._ids import ids_of
from annotation.imports._inserting import Rows, ids, insert
from annotation.imports._joining import rated, texts_by_id
from annotation.imports._rows import Row
from annotation.imports._sheet import Sheet
from annotation.models import (
    Annotation,
    Aspect,
    AttributeLabel,
    Dialogue,
    Generation,
    Import,
    ImportedMean,
    Reference,
    Study,
    System,
)
from annotation.models import Prompt as PromptRow
from annotation.models.texts import NO_OUTPUT

# Others cannot write to SQLite while a piece is written: some hundredths of a second.
PIECE = 500  # texts
COLUMNS = dict(zip(SYSTEM_FACTS, ("kind", "model", "top_p", "top_k"), strict=True))
WRITTEN = (PromptRow, Reference, Dialogue, Generation, Annotation, ImportedMean)
PREWRITTEN, TARGETED = Reference.Kind.PREWRITTEN.value, Reference.Kind.TARGETED.value
_MESSAGES = Dialogue._meta.get_field("messages")
Words = Mapping[str, tuple[str, ...]]
Piece = Callable[[], AbstractContextManager[None]]


@dataclass
class Plan:
    """Where rows go: what the study has, by what a row calls it. Prompts by hash."""

    study: Study
    record: Import
    aspects: dict[str, Aspect]  # by key
    verbalizers: Words
    people: frozenset[str] = frozenset()  # systems
    labels: dict[str, AttributeLabel] = field(default_factory=dict)
    systems: dict[str, System] = field(default_factory=dict)
    prompts: dict[int, int] = field(default_factory=dict)
    references: dict[int, set[int]] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)  # by id, where it is asked for
    described: dict[str, System] = field(default_factory=dict)  # old ones, newly
    _dialogue: int | None = None  # the last one, whose turns follow
    _ids: dict[type, Iterator[int]] = field(default_factory=dict)

    def save(
        self,
        sheet: Sheet,
        now: datetime.datetime,
        *,
        piece: Piece,
        stored: Callable[[int], object],
    ) -> None:
        """Write the rows, each `piece` a transaction; `stored` is told how many.

        What is new of systems that the study had is left to `save_described`.
        """
        counts = sheet.counts
        if counts.by_id:
            self.texts = texts_by_id(self.study)
        expected = (
            *(counts.prompts, 100, counts.dialogues, len(sheet)),
            *(counts.ratings, counts.means),
        )
        self._ids = {k: ids(k, n) for k, n in zip(WRITTEN, expected, strict=True)}
        rows, n_stored = iter(sheet), 0
        while batch := list(islice(rows, PIECE)):
            if self._names_are_new(batch):
                with piece():
                    self._add_names(batch)
            prepared = self._prepared(batch, now)
            with piece():
                for one in prepared:
                    insert(one)
            n_stored += len(batch)
            stored(n_stored)

    def save_described(self) -> None:
        for system in self.described.values():
            system.save()

    # Systems and labels ---------------------------------------------------------------

    def _names_are_new(self, batch: list[Row]) -> bool:
        return any(
            row.system not in self.systems or row.label not in self.labels
            for row in batch
        )

    def _add_names(self, batch: list[Row]) -> None:
        """Of systems and labels that the study does not have yet."""
        for row in batch:
            if row.label and row.label not in self.labels:
                words = list(self.verbalizers.get(row.label, ()))
                self.labels[row.label] = AttributeLabel.objects.create(
                    study=self.study, name=row.label, verbalizers=words
                )
            if row.system and row.system not in self.systems:
                kind = System.Kind.GENERATOR
                if row.system in self.people:
                    kind = System.Kind.HUMAN
                self.systems[row.system] = System.objects.create(
                    study=self.study, name=row.system, kind=kind
                )

    def _describe(self, row: Row) -> None:
        for fact, column in COLUMNS.items():
            value: Any = getattr(row, fact)
            if value not in ("", None):
                system = self.systems[row.system]
                if getattr(system, column) != value:
                    setattr(system, column, value)
                    self.described[row.system] = system

    # Rows -----------------------------------------------------------------------------

    def _prepared(self, batch: list[Row], now: datetime.datetime) -> list[Rows]:
        """All that takes long is done here, where it keeps nobody from writing."""
        for row in batch:
            self._describe(row)
        here = [(self.texts[row.key], row) for row in batch if row.by_id]
        batch = [row for row in batch if not row.by_id]
        prompts = self._prompts(batch)
        references = self._references(batch)
        dialogues, of_row = self._dialogues(batch)
        new = self._ids[Generation]
        texts = [(next(new), row) for row in batch]
        return [
            prompts,
            references,
            dialogues,
            self._generations(texts, of_row, now),
            self._edited(texts),
            self._annotations([*texts, *here], now),
            self._means([*texts, *here]),
        ]

    def _prompts(self, batch: list[Row]) -> Rows:
        found = []
        for row in batch:
            key = hash(row.prompt)
            if key not in self.prompts:
                pk, position = next(self._ids[PromptRow]), len(self.prompts)
                label = self.labels[row.label].pk if row.label else None
                digest = PromptRow.digest_of(*row.prompt)
                found.append(
                    (pk, self.study.pk, row.prefix, label, row.source, position, digest)
                )
                self.prompts[key] = pk
        names = ("id", "study_id", "prefix", "label_id", "source", "position", "digest")
        return Rows(PromptRow, names, found)

    def _references(self, batch: list[Row]) -> Rows:
        found = []
        for row in batch:
            key = hash(row.prompt)
            for text in row.references:
                known = self.references.setdefault(key, set())
                if hash(text) not in known:
                    pk = next(self._ids[Reference])
                    place = len(known)
                    found.append((pk, PREWRITTEN, self.prompts[key], text, place))
                    known.add(hash(text))
        return Rows(Reference, ("id", "kind", "prompt_id", "text", "position"), found)

    def _edited(self, texts: list[tuple[int, Row]]) -> Rows:
        """References of single texts; the same correction twice is one."""
        new = self._ids[Reference]
        found = [
            (next(new), TARGETED, pk, text, place)
            for pk, row in texts
            for place, text in enumerate(dict.fromkeys(row.edited))
        ]
        names = ("id", "kind", "generation_id", "text", "position")
        return Rows(Reference, names, found)

    def _dialogues(self, batch: list[Row]) -> tuple[Rows, list[int | None]]:
        """The dialogues that begin here, and that of each row."""
        found, of_row = [], []
        for row in batch:
            if row.messages:
                self._dialogue = next(self._ids[Dialogue])
                told = [{"role": one.role, "text": one.text} for one in row.messages]
                messages = _MESSAGES.get_db_prep_save(told, connection)
                begun = (self._dialogue, self.study.pk, self.record.pk, row.key)
                found.append((*begun, messages))
            of_row.append(self._dialogue if row.of_dialogue else None)
        names = ("id", "study_id", "imported_id", "key", "messages")
        return Rows(Dialogue, names, found), of_row

    def _generations(
        self,
        texts: list[tuple[int, Row]],
        dialogues: list[int | None],
        now: datetime.datetime,
    ) -> Rows:
        study, record = self.study.pk, self.record.pk
        systems = {name: system.pk for name, system in self.systems.items()}
        # No page has it, and no statistic of what people said.
        no_output = (connection.ops.adapt_datetimefield_value(now), NO_OUTPUT)
        found = [
            (
                *(pk, study, record, row.key, self.prompts[hash(row.prompt)]),
                *(systems.get(row.system), row.sample, row.text),
                *(row.log_probability, row.pair, dialogue, row.turn),
                *(row.asked, row.probability, row.stratum),
                *(no_output if row.is_empty else (None, "")),
            )
            for (pk, row), dialogue in zip(texts, dialogues, strict=True)
        ]
        names = (
            *("id", "study_id", "imported_id", "key", "prompt_id"),
            *("system_id", "sample", "text", "log_probability", "pair"),
            *("dialogue_id", "turn"),
            *("asked", "probability", "stratum"),
            *("excluded_at", "excluded_reason"),
        )
        return Rows(Generation, names, found)

    def _annotations(
        self, texts: list[tuple[int, Row]], now: datetime.datetime
    ) -> Rows:
        record, new = self.record.pk, self._ids[Annotation]
        aspects = {key: aspect.pk for key, aspect in self.aspects.items()}
        when = connection.ops.adapt_datetimefield_value(now)
        found = [
            (next(new), record, pk, aspects[aspect], rater, value, when)
            for pk, row in texts
            for aspect, rater, value in row.ratings
        ]
        names = ("id", "imported_id", "generation_id", "aspect_id")
        return Rows(Annotation, (*names, "rater", "value", "updated_at"), found)

    def _means(self, texts: list[tuple[int, Row]]) -> Rows:
        record, new = self.record.pk, self._ids[ImportedMean]
        found = [
            (next(new), record, pk, self.aspects[aspect].pk, mean, n)
            for pk, row in texts
            for aspect, mean, n in row.means
        ]
        names = ("id", "imported_id", "generation_id", "aspect_id", "mean", "n")
        return Rows(ImportedMean, names, found)


def present_in(study: Study) -> Present:
    """What a study has already. Reads all of its texts, and keeps their hashes."""
    texts = study.generations.values_list(
        "key",
        "prompt__prefix",
        "prompt__label__name",
        "prompt__source",
        "system__name",
        "sample",
        "text",
    )
    present = Present(
        scale=study.scale,
        invented=frozenset(ids_of(study).invented),
        rated=partial(rated, study),
        scales={aspect.key: aspect.scale for aspect in study.aspects.all()},
        labels=frozenset(study.labels.values_list("name", flat=True)) or None,
        aspects=frozenset(study.aspects.values_list("key", flat=True)),
        about=dict(study.aspects.values_list("key", "about")),
        systems={
            system.name: {
                fact: getattr(system, column) for fact, column in COLUMNS.items()
            }
            for system in study.systems.all()
        },
    )
    for key, prefix, label, source, system, sample, text in texts.iterator():
        prompt = (prefix, label or "", source)
        present.keys.add(key)
        present.samples.add(hash((prompt, system or "", sample)))
        for words in {text, plain(text)}:
            present.texts.add(hash((prompt, system or "", words)))
    return present


def plan_for(
    study: Study,
    record: Import,
    aspects: Iterable[Aspect],
    *,
    verbalizers: Words,
    people: Iterable[str] = (),
) -> Plan:
    """Start from what the study has. A study not yet saved has nothing."""
    by_key = {aspect.key: aspect for aspect in aspects}
    plan = Plan(study, record, by_key, verbalizers, frozenset(people))
    if study.pk is None:
        return plan
    plan.labels = {label.name: label for label in study.labels.all()}
    plan.systems = {system.name: system for system in study.systems.all()}
    prompts = study.prompts.values_list("pk", "prefix", "label__name", "source")
    keys = {}
    for pk, prefix, label, source in prompts.iterator():
        keys[pk] = hash((prefix, label or "", source))
        plan.prompts[keys[pk]] = pk
    references = Reference.objects.filter(prompt__study=study)  # not targeted ones
    for prompt, text in references.values_list("prompt", "text").iterator():
        plan.references.setdefault(keys[prompt], set()).add(hash(text))
    return plan
