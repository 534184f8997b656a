"""Votes as one of the kinds of files that a study takes."""

from __future__ import annotations

from django.contrib.auth.models import User

from annotation.imports import vote_format_of
from annotation.imports.intakes import (
    Added,
    Answers,
    Brought,
    Intake,
    Profile,
    listed,
    new_systems,
)
from annotation.models import Study
from annotation.votes import adding


def _format(profile: Profile) -> str:
    return vote_format_of(profile.columns, profile.preset)


def _read(study: Study, profile: Profile, answers: Answers) -> Brought:
    checked = adding.check(
        study=study,
        format=_format(profile) or "votes",
        file=profile.file,
        file_name=profile.file_name,
        create_systems=True,  # asked about below
    )

    def store(user: User | None) -> Added:
        added = checked.store(user=user)
        return Added(f"{added} added.", "analysis", ("preferences",))

    names = sorted({name for row in checked.rows for name in (row.first, row.second)})
    raters = len({row.rater for row in checked.rows} - {""})
    return Brought(
        facts=[
            ("Votes", f"{len(checked.rows):,}"),
            ("Pairs", f"{len({row.pair for row in checked.rows}):,}"),
            ("Systems", listed(names)),
            ("People who voted", f"{raters:,}" if raters else "not named"),
        ],
        store=store,
        questions=new_systems(study, checked.missing),
    )


INTAKE = Intake(
    key="votes",
    row="vote",
    title="Votes on pairs of systems",
    help=(
        "For each pair of texts, which one is better: columns pair, first, second and"
        " outcome. Or as MT-Bench, arenas and AlpacaEval write them."
    ),
    is_meant=lambda profile: bool(_format(profile)),
    read=_read,
    formats=adding.FORMATS,
    remove=adding.remove,
)
