"""What says in the database what came in: a draft, its questions, the import."""

from __future__ import annotations

from dataclasses import asdict

from django.contrib.auth.models import User

from annotation import studies
from annotation.imports._cells import number
from annotation.imports._ids import INVENTED
from annotation.imports._problems import UploadError
from annotation.imports._rows import Options
from annotation.imports._sheet import Sheet
from annotation.imports._values import Table
from annotation.imports.presets import PRESETS
from annotation.imports.presets._preset import Preset
from annotation.models import Aspect, Import, Study
from annotation.models.aspects import MOST_POINTS, SLIDER
from annotation.studies.scales import MOST_CHARACTERS

VALUES = "values"  # of Import.options: the numbers that answers were read as
ACCOUNT = "account"  # of Import.options: where the filled cells of each column went


def draft(
    name: str, format: str, owner: User | None, sheet: Sheet, chosen: Options
) -> studies.Draft:
    ready = PRESETS.get(sheet.preset)
    scale = sheet.scale(chosen, ready.scale if ready else "")
    try:
        return studies.draft(
            name=name,
            owner=owner,
            aspects=_aspects(sheet, ready, scale) or None,
            title=chosen.title,
            language=chosen.language,
            ratings_per_text=chosen.ratings_per_text,
            scale_min=scale[0],
            scale_max=scale[-1],
        )
    except studies.StudyError as error:
        raise UploadError([str(error)]) from error


def _aspects(
    sheet: Sheet, ready: Preset | None, scale: range
) -> list[studies.AspectLike]:
    """Those that are known get their words; others the name that the file uses.

    From 0 to 100 they are sliders: nobody chooses from 101 buttons.
    """
    reverse = ready.lower_is_better if ready else ()
    kind = Aspect.Kind.SLIDER if scale == SLIDER else Aspect.Kind.POINTS
    found: list[studies.AspectLike] = []
    for key, name in sheet.counts.aspects.items():
        about = sheet.counts.about[key]
        made: dict[str, object] = {"key": key, "kind": kind, "about": about}
        if not (key in studies.KNOWN_ASPECTS or key == name):
            better = {"higher_is_better": name not in reverse}
            made |= {"title": name[:100], **better}
        if table := sheet.tables.get(name):
            made |= _words_of(table, scale)
        if ready and name in ready.aspects:
            made |= {"kind": Aspect.Kind.POINTS, **ready.aspects[name]}
        found.append(made)
    return found


def _words_of(table: Table, scale: range) -> dict[str, object]:
    """The answers of a file as labels of points, where each point has one at most.

    Half points and scales from below 0 have a scale of their own: 1 to 9 for 1 to 5 in
    halves, whose labels say what each step was called.
    """
    points: dict[int, str] = {}
    for word, point in table.items():
        if isinstance(point, int) and points.setdefault(point, word) != word:
            return {}
    too_long = any(len(word) > MOST_CHARACTERS for word in points.values())
    if not len(points) >= 2 or max(points) - min(points) >= MOST_POINTS or too_long:
        return {}
    made: dict[str, object] = {}
    low, high = scale[0], scale[-1]
    if all(number(word) is not None for word in points.values()):
        low, high = 1, max(points)
        made |= {"scale_min": low, "scale_max": high}
    elif not all(point in scale for point in points):
        return {}
    middle, odd = divmod(low + high, 2)
    ends = {"low": low, "high": high} | ({} if odd else {"middle": middle})
    made |= {name: points.get(point, str(point)) for name, point in ends.items()}
    between = {p: w for p, w in points.items() if p not in ends.values()}
    return {**made, "words": {str(point): word for point, word in between.items()}}


def record_of(
    study: Study,
    format: str,
    sheet: Sheet,
    file_name: str,
    options: Options,
    user: User | None,
) -> Import:
    return Import(
        study=study,
        format=format,
        file_name=file_name[-255:],
        sha256=sheet.sha256,
        options={
            **asdict(options),
            "preset": sheet.preset,
            "encoding": sheet.encoding.name,
            "respelled": sheet.counts.respelled,
            "no_output": dict(sheet.counts.no_output),
            INVENTED: sheet.counts.nameless,
            "scores": sum(sheet.counts.metrics.values()),
            VALUES: {about: table for about, table in sheet.tables.items() if table},
            "notes": sheet.notes,
            ACCOUNT: [entry.plain() for entry in sheet.account],
        },
        n_rows=sheet.n_kept,
        created_by=user,
    )
