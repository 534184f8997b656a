"""5. A study as one file with which someone else computes its numbers again.

The file holds the data, what pages show of it, the statistics as code, and a script
that compares. It is written to disk piece by piece, never held in memory.
"""

from __future__ import annotations

import json
import string
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, cast
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.forms import model_to_dict

from annotation import exports, page_kinds
from annotation.models import Study
from annotation.models.surveys import pseudonym
from annotation.studies.settings import SETTINGS, Archive
from scoring import analyses
from scoring.drawing import tables
from scoring.models import Analysis, Plan
from scoring.replication import program, rater_codes
from scoring.results import analysing, planned, standing, study_arrays
from scoring.results import plan as planning
from scoring.stats import folder
from scoring.stats.data import Data

FILES = Path(__file__).parent / "files"
Results = dict[str, Mapping[str, Any]]  # by the name of the analysis
# What leads to people or lets someone in is left out, and what belongs to the page.
PRIVATE = frozenset(
    {"id", "public_id", "study", "locked_by", "archived_at"}
    | {"deleted_at", "deleted_by", "state_before"}
    | {
        setting.name
        for setting in SETTINGS.values()
        if setting.archive == Archive.PRIVATE
    }
)


class Sink(Protocol):
    """A zip file, or a folder that takes files in the same way."""

    def write(self, filename: Any, arcname: Any = None) -> None: ...

    def writestr(self, zinfo_or_arcname: Any, data: Any) -> None: ...


def write(*, study: Study, path: Path, now: datetime) -> None:
    """Write the bundle of a study. Who reads meanwhile sees the old file, or none.

    What pages have computed of the data as they are is taken over; the usual options
    of each analysis are computed where they are missing.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with ZipFile(unfinished, "w", ZIP_DEFLATED) as zip:
            _fill(zip, study, now)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _fill(zip: ZipFile, study: Study, now: datetime) -> None:
    loaded = study_arrays.load(study=study)
    own = {pseudonym(study, pk) for pk in study.workers.values_list("pk", flat=True)}
    codes = rater_codes.codes(loaded, own)
    add_numbers(zip, study=study, loaded=loaded, data=rater_codes.coded(loaded, codes))
    dialogues = ("dialogues",) if study.dialogues.exists() else ()
    of_kinds = (
        table.name
        for kind in page_kinds.every()
        if kind.key in study.page_kinds
        for table in kind.tables.tables
    )
    more = (*dialogues, "annotations", *of_kinds)
    rows_of = exports.tables()
    for kind in ("texts", "references", *more):
        with zip.open(f"{kind}.jsonl", "w", force_zip64=True) as out:
            rows = rater_codes.coded_rows(rows_of[kind](study=study), codes)
            for line in exports.as_jsonl(rows):
                out.write(line.encode())
    zip.writestr("README.md", _readme(study, now))


def add_numbers(into: Sink, *, study: Study, loaded: Data, data: Data) -> Results:
    """Write data, what pages show of them, and the program that computes it again.

    Args:
        into: A zip file, or a folder.
        study: Whose numbers.
        loaded: What pages compute from.
        data: What may be told of it.

    Returns:
        The result of each analysis with its usual options.
    """
    with tempfile.TemporaryDirectory() as work:
        folder.write(data, Path(work))
        for file in sorted(Path(work).iterdir()):
            into.write(file, f"data/{file.name}")
    usual: Results = {}
    stand: dict[str, object] = {}
    for name, result in results(study=study, loaded=loaded, data=data):
        into.writestr(f"results/{name}.json", _json(result))
        made_of = cast(Mapping[str, Any], result["made_of"])
        status = _standing(study, result)
        stand[name] = standing.as_json(status)
        made = standing.files_of(
            made_of["analysis"], result, status, simulated=study.simulated
        )
        for key, table in made.items():
            into.writestr(f"tables/{name}-{key}.csv", tables.as_csv(table))
        if made_of["options"] == _usual(study, made_of["analysis"]):
            usual[made_of["analysis"]] = result
    into.writestr("standing.json", _json(stand))
    into.writestr("design.json", _json(design(study=study)))
    _add_program(into)
    return usual


def _usual(study: Study, name: str) -> object:
    """Options as a page has them that nobody changed, in the form that results keep."""
    options = planning.with_grouping(study=study, options=analyses.options(name, {}))
    return json.loads(analyses.canonical(options))


def results(
    *, study: Study, loaded: Data, data: Data
) -> Iterator[tuple[str, dict[str, object]]]:
    """Each analysis of these very data: as pages asked for it, and as it is usual.

    Args:
        study: Whose analyses.
        loaded: What pages compute from.
        data: The same with codes for raters; results that name raters otherwise are
            computed again.
    """
    for name in analyses.names():
        analysis = analyses.get(name)
        needs, version = analysis.NEEDS, analysis.VERSION
        needed, kept = folder.part(data, needs), folder.part(loaded, needs).digest()
        digest = needed.digest()
        usual = planning.with_grouping(study=study, options=analysis.Options())
        missing: str | None = analysing.digest_of(usual)
        rows = Analysis.objects.filter(study=study, name=name, result__isnull=False)
        for row in rows.order_by("pk").iterator(chunk_size=20):
            assert row.result is not None  # asked for above
            made_of = row.result["made_of"]
            if (made_of["data"], made_of["version"]) != (kept, version):
                continue
            options = analyses.options(name, row.options)
            as_page = digest == kept
            found = row.result if as_page else analyses.run(name, needed, options)
            yield f"{name}-{row.digest[:10]}", found
            missing = None if row.digest == missing else missing
        if missing:
            yield f"{name}-{missing[:10]}", analyses.run(name, needed, usual)


def design(*, study: Study) -> dict[str, object]:
    """How the study was set up, without what leads to people."""
    plan = Plan.objects.filter(study=study).first()
    return {
        "study": {**_fields(study), "state": study.state, "seed": study.seed},
        "aspects": [_fields(aspect) for aspect in study.aspects.all()],
        "labels": [_fields(label) for label in study.labels.all()],
        "systems": [_fields(system) for system in study.systems.all()],
        "policies": [
            {**_fields(policy), "since": policy.created_at}
            for policy in study.policies.order_by("version")
        ],
        "kinds": {
            kind.key: options
            for kind in page_kinds.every()
            if (options := kind.setup.own(study))
        },
        "plan": plan
        and {
            **_fields(plan),
            "aspect": plan.aspect.key,
            "policy": plan.policy.version,
        },
    }


def _fields(row: Any) -> dict[str, object]:
    found = model_to_dict(row)
    return {name: value for name, value in found.items() if name not in PRIVATE}


def _standing(study: Study, result: Mapping[str, Any]) -> standing.Status:
    made_of = result["made_of"]
    name, options = made_of["analysis"], made_of["options"]
    return planned.status(
        study=study, analysis=name, options=analyses.options(name, options)
    )


def _add_program(into: Sink) -> None:
    for path, name in program.files():
        into.write(path, name)
    for name, text in program.texts():
        into.writestr(name, text)


def _readme(study: Study, now: datetime) -> str:
    text = string.Template((FILES / "README.md").read_text(encoding="utf-8"))
    simulated = " **The ratings are simulated, not from people.**"
    return text.substitute(
        title=study.title or study.name,
        name=study.name,
        time=f"{now:%Y-%m-%d %H:%M} UTC",
        version=settings.VERSION,
        simulated=simulated if study.simulated else "",
    )


def _json(thing: Any) -> str:
    return json.dumps(thing, ensure_ascii=False, indent=1, default=str)
