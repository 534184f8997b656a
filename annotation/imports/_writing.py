"""Checked rows -> rows of the database, in one short transaction."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from annotation.imports._checks import SYSTEM_FACTS, Present, Prompt
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


@dataclass
class Plan:
    """Everything a file adds, ready to be saved: objects that point at each other."""

    study: Study
    record: Import
    aspects: dict[str, Aspect]  # by key
    labels: dict[str, AttributeLabel] = field(default_factory=dict)
    systems: dict[str, System] = field(default_factory=dict)
    prompts: dict[Prompt, PromptRow] = field(default_factory=dict)
    # Texts of references by prompt, in order, those of the study included.
    references: dict[Prompt, dict[str, Reference]] = field(default_factory=dict)
    generations: list[Generation] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    means: list[ImportedMean] = field(default_factory=list)

    def save(self) -> None:
        """Call inside a transaction, with the study saved."""
        self.record.save()
        for system in self.systems.values():
            if system.pk:  # a file may tell what was not known of it
                system.save()
        references = [r for found in self.references.values() for r in found.values()]
        for kind, made in (
            (AttributeLabel, self.labels.values()),
            (System, self.systems.values()),
            (PromptRow, self.prompts.values()),
            (Reference, references),
            (Generation, self.generations),
            (Annotation, self.annotations),
            (ImportedMean, self.means),
        ):
            _create(kind, made)


def present_in(study: Study) -> Present:
    """What a study has already. Reads all of its texts."""
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
        present.samples.add((prompt, system or "", sample))
        present.texts.add((prompt, system or "", text))
    return present


def plan_for(study: Study, record: Import, aspects: Iterable[Aspect]) -> Plan:
    """Start from what the study has. A study not yet saved has nothing."""
    plan = Plan(study, record, {aspect.key: aspect for aspect in aspects})
    if study.pk is None:
        return plan
    plan.labels = {label.name: label for label in study.labels.all()}
    plan.systems = {system.name: system for system in study.systems.all()}
    prompts = study.prompts.select_related("label").prefetch_related("references")
    for prompt in prompts:
        key = (prompt.prefix, prompt.label.name if prompt.label else "", prompt.source)
        plan.prompts[key] = prompt
        plan.references[key] = {r.text: r for r in prompt.references.all()}
    return plan


def fill(
    plan: Plan,
    rows: list[Row],
    *,
    verbalizers: Mapping[str, tuple[str, ...]],
    now: datetime.datetime,
) -> None:
    for row in rows:
        assert row.sample is not None  # numbered where the file was checked
        generation = Generation(
            study=plan.study,
            key=row.key,
            prompt=_prompt(plan, row, verbalizers),
            system=_system(plan, row),
            sample=row.sample,
            text=row.text,
            log_probability=row.log_probability,
            pair=row.pair,
            imported=plan.record,
        )
        plan.generations.append(generation)
        plan.annotations += [
            Annotation(
                imported=plan.record,
                generation=generation,
                aspect=plan.aspects[aspect],
                rater=rater,
                value=value,
                updated_at=now,
            )
            for aspect, rater, value in row.ratings
        ]
        plan.means += [
            ImportedMean(
                imported=plan.record,
                generation=generation,
                aspect=plan.aspects[aspect],
                mean=mean,
                n=n,
            )
            for aspect, mean, n in row.means
        ]


def _prompt(
    plan: Plan, row: Row, verbalizers: Mapping[str, tuple[str, ...]]
) -> PromptRow:
    key = row.prompt
    if key not in plan.prompts:
        plan.prompts[key] = PromptRow(
            study=plan.study,
            prefix=row.prefix,
            label=_label(plan, row.label, verbalizers),
            source=row.source,
            position=len(plan.prompts),
            digest=PromptRow.digest_of(*key),
        )
    prompt, references = plan.prompts[key], plan.references.setdefault(key, {})
    for text in row.references:
        if text not in references:
            references[text] = Reference(
                prompt=prompt, text=text, position=len(references)
            )
    return prompt


def _label(
    plan: Plan, name: str, verbalizers: Mapping[str, tuple[str, ...]]
) -> AttributeLabel | None:
    if name and name not in plan.labels:
        plan.labels[name] = AttributeLabel(
            study=plan.study, name=name, verbalizers=list(verbalizers.get(name, ()))
        )
    return plan.labels.get(name)


def _system(plan: Plan, row: Row) -> System | None:
    if not row.system:
        return None
    system = plan.systems.setdefault(
        row.system, System(study=plan.study, name=row.system)
    )
    for fact, column in COLUMNS.items():
        value: Any = getattr(row, fact)
        if value not in ("", None):
            setattr(system, column, value)
    return system


def _create(kind: type[models.Model], made: Iterable[Any]) -> None:
    new = [row for row in made if row.pk is None]
    # One statement for all rows would be a packet of many megabytes on PostgreSQL.
    kind._default_manager.bulk_create(new, batch_size=BATCH)
