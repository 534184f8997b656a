"""Checked rows -> rows of the database, batch by batch, in one transaction."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db import models

from annotation.imports._checks import SYSTEM_FACTS, Present
from annotation.imports._rows import Row
from annotation.models import (
    Annotation,
    Aspect,
    AttributeLabel,
    Generation,
    Import,
    ImportedMean,
    Reference,
    Study,
    System,
)
from annotation.models import Prompt as PromptRow

BATCH = 2000
COLUMNS = dict(zip(SYSTEM_FACTS, ("kind", "model", "top_p", "top_k"), strict=True))
Words = Mapping[str, tuple[str, ...]]


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

    def save(self, rows: Iterable[Row], now: datetime.datetime) -> None:
        """Call inside a transaction, with the study saved."""
        self.record.save()
        waiting = iter(rows)
        while batch := list(islice(waiting, BATCH)):
            self._save(batch, now)

    def _save(self, batch: list[Row], now: datetime.datetime) -> None:
        self._add_names(batch)
        self._add_prompts(batch)
        self._add_references(batch)
        texts = [self._generation(row) for row in batch]
        create(Generation, texts)
        create(Annotation, self._annotations(batch, texts, now))
        create(ImportedMean, self._means(batch, texts))

    def _add_names(self, batch: list[Row]) -> None:
        """Of systems and labels that the study does not have yet, and what is new of
        those that it has."""
        changed: dict[str, System] = {}
        for row in batch:
            if row.label and row.label not in self.labels:
                words = list(self.verbalizers.get(row.label, ()))
                self.labels[row.label] = AttributeLabel.objects.create(
                    study=self.study, name=row.label, verbalizers=words
                )
            if row.system and self._describe(row):
                changed[row.system] = self.systems[row.system]
        for system in changed.values():
            system.save()

    def _describe(self, row: Row) -> bool:
        """Whether anything about the row's system is new."""
        system = self.systems.get(row.system)
        if new := system is None:
            system = System(study=self.study, name=row.system)
            if row.system in self.people:
                system.kind = System.Kind.HUMAN
            self.systems[row.system] = system
        for fact, column in COLUMNS.items():
            value: Any = getattr(row, fact)
            if value not in ("", None) and getattr(system, column) != value:
                setattr(system, column, value)
                new = True
        return new

    def _add_prompts(self, batch: list[Row]) -> None:
        new: dict[int, PromptRow] = {}
        for row in batch:
            key = hash(row.prompt)
            if key in self.prompts or key in new:
                continue
            new[key] = PromptRow(
                study_id=self.study.pk,
                prefix=row.prefix,
                label_id=self.labels[row.label].pk if row.label else None,
                source=row.source,
                position=len(self.prompts) + len(new),
                digest=PromptRow.digest_of(*row.prompt),
            )
        create(PromptRow, new.values())
        self.prompts |= {key: prompt.pk for key, prompt in new.items()}

    def _add_references(self, batch: list[Row]) -> None:
        new = []
        for row in batch:
            key = hash(row.prompt)
            for text in row.references:
                known = self.references.setdefault(key, set())
                if hash(text) not in known:
                    new.append(
                        Reference(
                            prompt_id=self.prompts[key], text=text, position=len(known)
                        )
                    )
                    known.add(hash(text))
        create(Reference, new)

    def _generation(self, row: Row) -> Generation:
        assert row.sample is not None  # numbered by the sheet
        system = self.systems.get(row.system)
        # By ids: looking at related rows takes a third of the time.
        return Generation(
            study_id=self.study.pk,
            key=row.key,
            prompt_id=self.prompts[hash(row.prompt)],
            system_id=system.pk if system else None,
            sample=row.sample,
            text=row.text,
            log_probability=row.log_probability,
            pair=row.pair,
            imported_id=self.record.pk,
        )

    def _annotations(
        self, batch: list[Row], texts: list[Generation], now: datetime.datetime
    ) -> Iterator[Annotation]:
        for row, generation in zip(batch, texts, strict=True):
            for aspect, rater, value in row.ratings:
                yield Annotation(
                    imported_id=self.record.pk,
                    generation_id=generation.pk,
                    aspect_id=self.aspects[aspect].pk,
                    rater=rater,
                    value=value,
                    updated_at=now,
                )

    def _means(
        self, batch: list[Row], texts: list[Generation]
    ) -> Iterator[ImportedMean]:
        for row, generation in zip(batch, texts, strict=True):
            for aspect, mean, n in row.means:
                yield ImportedMean(
                    imported_id=self.record.pk,
                    generation_id=generation.pk,
                    aspect_id=self.aspects[aspect].pk,
                    mean=mean,
                    n=n,
                )


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
        labels=frozenset(study.labels.values_list("name", flat=True)) or None,
        aspects=frozenset(study.aspects.values_list("key", flat=True)),
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
        present.texts.add(hash((prompt, system or "", text)))
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
    references = Reference.objects.filter(prompt__study=study)
    for prompt, text in references.values_list("prompt", "text").iterator():
        plan.references.setdefault(keys[prompt], set()).add(hash(text))
    return plan


def create(kind: type[models.Model], made: Iterable[Any]) -> None:
    # One statement for all rows would be a packet of many megabytes on PostgreSQL.
    kind._default_manager.bulk_create(made, batch_size=BATCH)
