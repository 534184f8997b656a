"""Scores as kinds of files that a study takes: of texts, of systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from annotation.imports import Question, unused
from annotation.imports.intakes import (
    Added,
    Answers,
    Brought,
    Intake,
    Profile,
    listed,
    new_systems,
    register,
)
from annotation.models import Import, Study
from scoring.metrics import output_key
from scoring.models import MetricRun, Score, SystemScore
from scoring.runs import mark_intake, score_lines, uploaded, uploaded_systems
from scoring.scores.outputs import metric_title

IDS = "ids"
# Format of imports by the contrib app `tool_results`. What it has stored stays: it is
# shown, and can be taken back, where nothing reads such files any more.
RESULTS = "results"
RUNS = (uploaded.INTAKE, uploaded_systems.INTAKE, RESULTS)  # bring no texts


def register_all() -> None:
    register(OF_TEXTS)
    register(OF_SYSTEMS)
    register(mark_intake.INTAKE)


def _of_texts(study: Study, profile: Profile, answers: Answers) -> Brought:
    checked = uploaded.read(study=study, file=profile.file, file_name=profile.file_name)
    directions = checked.directions()
    checked.turn(answers.directions)
    n_texts = len({line.key for line in checked.lines})
    return Brought(
        facts=[
            ("Scores", numbers(checked.lines)),
            ("Texts", f"{n_texts:,} of {study.generations.count():,}, by their IDs"),
            ("Metrics", metric_titles({line.made.metric for line in checked.lines})),
        ],
        store=lambda user: added(checked.store(user=user)),
        examples=checked.pairs(),
        directions=directions,
        questions=_about_ids(checked),
    )


def _are_scores(profile: Profile) -> bool:
    """Without directions, outputs that are few names: else they may be the texts."""
    if not profile.has(*score_lines.REQUIRED):
        return False
    if profile.has("direction"):
        return True
    outputs = [str(cells.get("output") or "").strip() for cells in profile.first]
    n_names = len(set(outputs))
    named = all(score_lines.WORD.fullmatch(output_key(one)) for one in outputs)
    return named and (n_names == 1 or 2 * n_names <= len(outputs))


def _about_ids(checked: uploaded.Checked) -> list[Question]:
    if not checked.doubt_of_ids:
        return []
    return [Question(IDS, "", checked.doubt_of_ids, option="--yes", is_for_people=True)]


def _of_systems(study: Study, profile: Profile, answers: Answers) -> Brought:
    checked = uploaded_systems.read(
        study=study, file=profile.file, file_name=profile.file_name
    )
    directions = checked.directions()
    uploaded_systems.turn(checked.lines, answers.directions)
    return Brought(
        facts=[
            ("Numbers of systems", numbers(checked.lines)),
            ("Systems", systems(checked.lines)),
            ("Metrics", metric_titles({line.metric for line in checked.lines})),
        ],
        store=lambda user: added(checked.store(user=user)),
        directions=directions,
        questions=asked_systems(study, checked.new_systems()),
    )


def remove(record: Import) -> None:
    """Delete the import, its scores, and the systems that nothing but it brought."""
    study, created = record.study, record.options.get(uploaded_systems.CREATED, [])
    remove_scores(record)
    record.delete()
    unused(study.systems.filter(name__in=created)).delete()


def remove_scores(record: Import, **_: object) -> None:
    """Those of its runs, which go with the import. Receives `imports.removing`.

    A study has one run of a signature, but others may have the same file.
    """
    signatures = list(record.runs.values_list("signature", flat=True))
    study = record.study
    Score.objects.filter(signature__in=signatures, generation__study=study).delete()
    SystemScore.objects.filter(signature__in=signatures, system__study=study).delete()


def why_not_undone(record: Import, **_: object) -> str:
    """Receives `undoing.undo_asked`."""
    under_way = record.study.runs.exclude(state__in=MetricRun.ENDED)
    if record.format in RUNS or not under_way.exists():
        return ""
    return "Texts of the study are being scored. Wait until that is done, or cancel it."


def asked_systems(study: Study, missing: list[str]) -> list[Question]:
    """A study without systems has none that a name could be mistyped for."""
    return new_systems(study, missing) if study.systems.exists() else []


def numbers(lines: Sequence[Any]) -> str:
    outputs = sorted({line.output for line in lines})
    empty = sum(line.value is None for line in lines)
    without = f"; {empty:,} of them without a value" if empty else ""
    return f"{len(lines):,} of {', '.join(outputs)}{without}"


def systems(lines: Iterable[uploaded_systems.Line]) -> str:
    return listed(sorted({line.system for line in lines}))


def metric_titles(names: Iterable[str]) -> str:
    return ", ".join(sorted(metric_title(name) for name in names))


def added(runs: Sequence[MetricRun]) -> Added:
    names = metric_titles({run.metric for run in runs})
    signatures = [str(run.signature) for run in runs]
    return Added(f"Scores added: {names}.", "runs", signatures=signatures)


OF_TEXTS = Intake(
    key=uploaded.INTAKE,
    title="Scores of texts",
    help=(
        "Columns key (of the text), output and value. Optional: direction (higher,"
        " lower or closeness), metric, signature, text."
    ),
    is_meant=_are_scores,
    read=_of_texts,
    formats=(uploaded.INTAKE,),
    remove=remove,
)
OF_SYSTEMS = Intake(
    key=uploaded_systems.INTAKE,
    title="Numbers of whole systems",
    help=(
        "As in a published table: columns system, name and value. Optional: direction,"
        " metric (people for human scores), low, high."
    ),
    is_meant=lambda profile: (
        profile.has(*uploaded_systems.REQUIRED) and not profile.has("key")
    ),
    read=_of_systems,
    formats=(uploaded_systems.INTAKE, RESULTS),
    remove=remove,
)
