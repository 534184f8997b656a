"""What a study brings along for a metric: its own evaluators, and what its aspects ask.

A run keeps a copy in its options, so that a later change touches no scores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.utils.translation import override

from annotation import page_kinds
from annotation.models import Aspect, Study
from scoring.evaluators import rated_examples
from scoring.metrics import Metric, SystemMetric, ctrleval_tables, option_fields
from scoring.models import EvaluatorTable

Patterns = ctrleval_tables.Patterns
Table = ctrleval_tables.Table
Kind = type[Metric] | type[SystemMetric]


def filled(
    *, study: Study, kind: Kind, options: Mapping[str, object]
) -> dict[str, object]:
    """The options with what the study brings along, where they leave it open.

    `kind` is the metric's class. What someone has written is never replaced.

    Raises:
        OptionError: Rated texts are asked for, and the study has too few.
    """
    brought: dict[str, Callable[[Mapping[str, object]], str]] = {
        "aspects": lambda _: aspects_json(study),
        "evaluators": lambda _: tables_json(study),
        "rated": partial(rated_examples.chosen_json, study),
        "scheme": partial(_scheme_json, study),
    }
    found = dict(options)
    for field in option_fields(kind.Options):  # rated texts depend on what is asked
        left_open = field.fill and not str(found.get(field.name, "")).strip()
        if left_open and (text := brought[field.fill](found)):
            found[field.name] = text
    return found


def aspects_json(study: Study) -> str:
    """What the study asks people, for a metric that asks the same. One query.

    {label} in a question is that of the text, with the quotes that people see.
    """
    with override(study.language):
        rows = [_asked(aspect) for aspect in study.aspects.all()]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def _scheme_json(study: Study, options: Mapping[str, object]) -> str:
    """Which errors people mark, for a judge that marks errors."""
    if options.get("mode") != "spans":
        return ""
    scheme = page_kinds.mark_scheme(study)
    return json.dumps(scheme, ensure_ascii=False) if scheme else ""


def tables_json(study: Study) -> str:
    """The study's own evaluators by name, "" where it has none. One query."""
    tables = {table.name: contents(table) for table in study.evaluator_tables.all()}
    return json.dumps(tables, ensure_ascii=False) if tables else ""


def contents(table: EvaluatorTable) -> dict[str, Any]:
    if table.patterns:
        return {"control": table.control, "patterns": table.patterns}
    return {"labels": table.labels, "prompts": table.prompts, "words": table.words}


def _asked(aspect: Aspect) -> dict[str, object]:
    low, high = aspect.ends
    return {
        "key": aspect.key,
        "question": aspect.asked_of("{label}"),
        "low": low,
        "high": high,
        "higher_is_better": aspect.higher_is_better,
        "words": {str(number): said for number, said in aspect.labels.items()},
    }


# Writing ------------------------------------------------------------------------------


def save(
    *, study: Study, name: str, table: Table | Patterns, pk: int | None = None
) -> int:
    """Make a table, or change that with the key `pk`. Returns its key.

    Raises:
        TableError: The name will not do, or is taken.
    """
    with transaction.atomic():
        if problem := ctrleval_tables.problem_of_name(name) or _taken(
            study, [name], but=pk
        ):
            raise ctrleval_tables.TableError([problem])
        if said := _alike(study, {name: table}, but=pk):
            raise ctrleval_tables.TableError(said)
        fields = {"name": name, **_lists(table)}
        if pk is None:
            return EvaluatorTable.objects.create(study=study, **fields).pk
        EvaluatorTable.objects.filter(study=study, pk=pk).update(**fields)
        return pk


def save_all(*, study: Study, text: str) -> list[str]:
    """Make every table of a JSON text, or none. Returns their names.

    Raises:
        TableError: With everything that is wrong.
    """
    tables = ctrleval_tables.tables_from_json(text)
    with transaction.atomic():
        if problem := _taken(study, list(tables)):
            raise ctrleval_tables.TableError([problem])
        if said := _alike(study, tables):
            raise ctrleval_tables.TableError(said)
        EvaluatorTable.objects.bulk_create(
            EvaluatorTable(study=study, name=name, **_lists(table))
            for name, table in tables.items()
        )
    return list(tables)


def add_with_labels_words(*, study: Study, prompts: str) -> tuple[str, int]:
    """Make a table of the paper's prompts, by name, and the words of the labels.

    Returns its name and key.

    Raises:
        TableError: Too few labels have words, or something is wrong with them.
    """
    table = with_labels_words(study=study, prompts=prompts)
    name = f"own-words-{prompts}"
    return name, save(study=study, name=name, table=table)


def with_labels_words(*, study: Study, prompts: str) -> Table:
    """As many rows of words as every label that has any can fill.

    Raises:
        TableError: Too few labels have words, or something is wrong with them.
    """
    words = {one.name: one.verbalizers for one in study.labels.all() if one.verbalizers}
    if len(words) < 2:
        said = "fewer than two labels of this study have words (verbalizers)"
        raise ctrleval_tables.TableError([said])
    rows = list(zip(*words.values(), strict=False))
    chosen = ctrleval_tables.TABLES[prompts].prompts
    return ctrleval_tables.checked(list(words), chosen, rows)


def offered(study: Study) -> list[str]:
    """Whose prompts could take the words of the labels, and do not yet."""
    own = [as_table(table) for table in study.evaluator_tables.all()]
    there = [*own, *ctrleval_tables.TABLES.values()]
    known = {
        _unordered(table) for table in there if isinstance(table, ctrleval_tables.Table)
    }
    found = []
    for name in ctrleval_tables.TABLES:
        try:
            table = with_labels_words(study=study, prompts=name)
        except ctrleval_tables.TableError:
            continue
        if _unordered(table) not in known:
            found.append(name)
    return found


def _unordered(table: Table) -> tuple[Any, ...]:
    columns = zip(table.labels, *table.words, strict=True)
    return table.prompts, frozenset(columns)


def as_table(table: EvaluatorTable) -> Table | Patterns:
    if table.patterns:
        return Patterns(table.control, tuple((f, g) for f, g in table.patterns))
    words = tuple(map(tuple, table.words))
    return Table(tuple(table.labels), tuple(table.prompts), words)


def _lists(table: Table | Patterns) -> dict[str, Any]:
    """All columns: a table that is changed may become one of the other kind."""
    if isinstance(table, ctrleval_tables.Patterns):
        patterns = [list(pair) for pair in table.patterns]
        none: dict[str, Any] = {"labels": [], "prompts": [], "words": []}
        return {**none, "control": table.control, "patterns": patterns}
    words = [list(row) for row in table.words]
    return {
        "labels": list(table.labels),
        "prompts": list(table.prompts),
        "words": words,
        "control": "",
        "patterns": [],
    }


def _alike(
    study: Study, tables: Mapping[str, Table | Patterns], but: int | None = None
) -> list[str]:
    """Which names would give two tables one output, given those that are there."""
    others = study.evaluator_tables.exclude(patterns=[])
    if but is not None:
        others = others.exclude(pk=but)
    there = {one.name: as_table(one) for one in others}
    return ctrleval_tables.problems_of_names({**there, **tables})


def _taken(study: Study, names: list[str], but: int | None = None) -> str | None:
    """What is wrong with the names, given those that the study has already.

    Others who save at this moment wait: nobody takes the name in between.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    others = study.evaluator_tables.all()
    if but is not None:
        others = others.exclude(pk=but)
    if found := sorted(others.filter(name__in=names).values_list("name", flat=True)):
        return (
            f"the study already has evaluators named {', '.join(found)}: choose another"
            " name, or change those"
        )
    if others.count() + len(names) > ctrleval_tables.MAX_TABLES:
        return (
            f"a study can have up to {ctrleval_tables.MAX_TABLES} tables of evaluators"
        )
    return None
