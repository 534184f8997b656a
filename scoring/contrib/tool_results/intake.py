"""Results of other tools as a kind of file that a study takes."""

from __future__ import annotations

from annotation.imports import limits
from annotation.imports.intakes import Answers, Brought, Intake, Profile
from annotation.models import Study
from scoring.contrib.tool_results import imported
from scoring.contrib.tool_results.readers import TOOLS, is_known
from scoring.runs import intakes


def _read(study: Study, profile: Profile, answers: Answers) -> Brought:
    checked = imported.read(study=study, file=profile.file, file_name=profile.file_name)
    directions = checked.directions()
    checked.turn(answers.directions)
    facts = [("Written by", TOOLS[checked.tool].TITLE)]
    if checked.lines:
        n_texts = len({line.key for line in checked.lines})
        facts += [
            ("Scores", intakes.numbers(checked.lines)),
            ("Texts", f"{n_texts:,} of {study.generations.count():,}"),
        ]
    if checked.totals:
        facts += [
            ("Numbers of systems", intakes.numbers(checked.totals)),
            ("Systems", intakes.systems(checked.totals)),
        ]
    return Brought(
        facts=facts,
        store=lambda user: intakes.added(checked.store(user=user)),
        examples=checked.pairs(),
        directions=directions,
        questions=intakes.asked_systems(study, checked.new_systems()),
    )


INTAKE = Intake(
    key=intakes.RESULTS,
    title="Results of an evaluation tool",
    help="; ".join(f"{tool.TITLE}: {tool.FILES}" for tool in TOOLS.values()),
    is_meant=lambda profile: is_known(profile.file, profile.file_name, limits()),
    read=_read,
    formats=(),  # what is stored is scores: `scoring.runs.intakes` can take it back
    remove=intakes.remove,
)
