"""Scores computed elsewhere, as a csv file: they stand in every table beside ours.

Columns:

    key          of the text, as in the study
    output       what the number is: quality, fluency
    value        the number; empty: the metric gives none for this text
    direction    higher or lower (which is better), or closeness (to human text)
    metric       optional: the metric's name; empty: uploaded
    signature    optional: how the numbers were made: comet|model:wmt22-comet-da

Each metric and signature in the file becomes one finished run. Output keys that are
aspects of the study are matched with them; hyphens in them become underscores, as all
keys of outputs have them.
"""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import islice
from typing import BinaryIO, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.imports import Problems, Source, Unreadable, UploadError, shown, table
from annotation.imports import limits as upload_limits
from annotation.imports import number as number_of
from annotation.models import Study
from evalapp import planner
from scoring import metrics
from scoring.drawing.words import capitalized
from scoring.metrics import Output, output_key
from scoring.models import Chunk, MetricRun, Score, Signature
from scoring.runs.tool_results import MOST_OUTPUTS

NAME = "uploaded"
UNDEFINED = "no value in the uploaded file"
DIRECTIONS: dict[str, bool | None] = {"higher": True, "lower": False, "closeness": None}
REQUIRED = ("key", "output", "value", "direction")
COLUMNS = (*REQUIRED, "metric", "signature")
# It becomes part of addresses and file names.
WORD = re.compile(r"\w[\w.:+-]{0,63}")
LONGEST_SIGNATURE = 1000
LARGEST = 1e100  # so that a database can add them up
PIECE = 500  # scores in one transaction: others write in between
# Words in names of metrics of which less is better.
LOWER = frozenset("ter perplexity ppl loss distance errors wer".split())

Piece = Callable[[], AbstractContextManager[object]]


class Made(NamedTuple):
    """By whom the numbers of a line were made."""

    metric: str
    signature: str


@dataclass(slots=True)
class Line:
    line: int
    made: Made
    key: str
    output: str
    value: float | None
    direction: str
    reason: str = ""  # why there is no value, where the file says so


def add(
    *,
    study: Study,
    file: BinaryIO,
    file_name: str,
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> list[MetricRun]:
    """Add the scores of a file to a study: one finished run for each signature.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    problems = Problems()
    source = Source(file, upload_limits(), problems)
    lines = _read(source, problems)
    ids = dict(study.generations.values_list("key", "pk"))
    _check(lines, ids, problems)
    problems.raise_if_any()
    ended = stored(
        study=study,
        lines=lines,
        ids=ids,
        options={"file": file_name[-255:], "sha256": source.sha256},
        user=user,
        now=now,
    )
    with transaction.atomic():
        return [end() for end in ended]


def stored(
    *,
    study: Study,
    lines: Iterable[Line],
    ids: dict[str, int],
    options: Mapping[str, str],
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> list[Callable[[], MetricRun]]:
    """Store scores that were checked, and return what makes the runs of them.

    `options` have the name of the file and its "sha256", which is in all signatures.
    """
    groups: dict[Made, list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.made].append(line)
    aspects = set(study.aspects.values_list("key", flat=True))
    signatures = [
        _signature(made, group, options["sha256"], aspects)
        for made, group in groups.items()
    ]
    return [
        _save(study, signature, group, ids, options, user, now, transaction.atomic)
        for signature, group in zip(signatures, groups.values(), strict=True)
    ]


def add_columns(
    *,
    study: Study,
    scores: Iterable[tuple[str, str, float]],
    file_name: str,
    sha256: str,
    piece: Piece,
    user: User | None = None,
    **_: object,
) -> Callable[[], MetricRun]:
    """Add scores that came with texts, as key, metric and value: one finished run.

    Receives `annotation.imports.scores_came`. The run is made by what this returns.
    """
    made = Made(NAME, "")
    lines = [
        Line(0, made, key, output_key(metric), value, direction_of(metric))
        for key, metric, value in scores
    ]
    ids = dict(study.generations.values_list("key", "pk"))
    problems = Problems()
    for word in {line.output for line in lines}:
        if not WORD.fullmatch(word):
            problems.add(f"{shown(word)} cannot be the name of a metric: rename it.")
    _check(lines, ids, problems)
    problems.raise_if_any()
    aspects = set(study.aspects.values_list("key", flat=True))
    signature = _signature(made, lines, sha256, aspects)
    options = {"file": file_name, "sha256": sha256}
    return _save(study, signature, lines, ids, options, user, None, piece)


def direction_of(metric: str) -> str:
    """What its name says of which way is better."""
    return "lower" if LOWER.intersection(metric.lower().split()) else "higher"


def _read(source: Source, problems: Problems) -> list[Line]:
    lines: list[Line] = []
    records = table(
        source,
        problems,
        required=REQUIRED,
        vital=REQUIRED,
        known=COLUMNS.__contains__,
        names=", ".join(COLUMNS),
    )
    try:
        for number, cells in records:
            if len(lines) == source.limits.rows:
                problems.add(f"The file has more than {len(lines):,} rows: split it.")
                break
            lines.append(_line(number, cells, problems))
    except Unreadable:
        pass
    if not lines and not problems:
        problems.add("The file has no scores.")
    return lines


def _line(number: int, cells: dict[str, str], problems: Problems) -> Line:
    cells = {name: cell.strip() for name, cell in cells.items()}
    line = Line(
        line=number,
        made=Made(cells.get("metric") or NAME, cells.get("signature", "")),
        key=cells["key"],
        output=output_key(cells["output"]),
        value=number_of(cells["value"]),
        direction=cells["direction"].lower(),
    )
    if cells["value"] and line.value is None:
        told = shown(cells["value"])
        problems.add(f"value must be a number or empty, not {told}", number)
    if abs(line.value or 0) > LARGEST:
        problems.add(f"value {line.value:g} is larger than {LARGEST:g}", number)
    if line.direction not in DIRECTIONS:
        told = shown(cells["direction"])
        problems.add(f"direction must be {', '.join(DIRECTIONS)}, not {told}", number)
    for name, word in (("output", line.output), ("metric", line.made.metric)):
        if not WORD.fullmatch(word):
            problems.add(
                f"{name} {shown(word)} must be up to 64 letters, digits, _ . : + -",
                number,
            )
    if len(line.made.signature) > LONGEST_SIGNATURE:
        problems.add(f"signature is longer than {LONGEST_SIGNATURE:,}", number)
    return line


def _check(lines: list[Line], ids: dict[str, int], problems: Problems) -> None:
    ours = set(metrics.names())
    first: dict[tuple[Made, str, str], Line] = {}
    directions: dict[tuple[Made, str], Line] = {}
    for line in lines:
        if not line.key:
            problems.add('"key" is empty', line.line)
        elif line.key not in ids:
            problems.add(
                f"no text of the study has the key {shown(line.key)}", line.line
            )
        if line.made.metric in ours:
            problems.add(
                f"metric {shown(line.made.metric)} is computed by EvalApp: use another"
                " name",
                line.line,
            )
        before = first.setdefault((line.made, line.key, line.output), line)
        if before is not line:
            told = f"{shown(line.output)} of {shown(line.key)}"
            also = f"is also on line {before.line}" if before.line else "is there twice"
            problems.add(f"duplicate: {told} {also}", line.line)
        other = directions.setdefault((line.made, line.output), line)
        if other.direction != line.direction:
            problems.add(
                f"direction of {shown(line.output)} is {shown(line.direction)} here, "
                f"but {shown(other.direction)} on line {other.line}",
                line.line,
            )
    if len(directions) > MOST_OUTPUTS:
        problems.add(
            f"The file has {len(directions):,} outputs. The most it may have is"
            f" {MOST_OUTPUTS}: is the column output or signature filled in by mistake?"
        )


def _signature(
    made: Made, lines: list[Line], sha256: str, aspects: set[str]
) -> Signature:
    parts = [NAME, *([made.metric] if made.metric != NAME else []), made.signature]
    text = "|".join([*filter(None, parts), f"file:sha256:{sha256[:16]}"])
    outputs = {line.output: DIRECTIONS[line.direction] for line in lines}
    return Signature(
        digest=Signature.digest_of(text),
        text=text,
        metric=made.metric,
        outputs=[asdict(_output(k, better, aspects)) for k, better in outputs.items()],
    )


def _output(key: str, higher_is_better: bool | None, aspects: set[str]) -> Output:
    return Output(
        key=key,
        title=capitalized(key.replace("_", " ")),
        unit="as uploaded",
        higher_is_better=higher_is_better,
        measures=next((one for one in aspects if output_key(one) == key), None),
    )


def _save(
    study: Study,
    made: Signature,
    lines: list[Line],
    ids: dict[str, int],
    options: Mapping[str, object],
    user: User | None,
    now: datetime.datetime | None,
    piece: Piece,
) -> Callable[[], MetricRun]:
    """Store the scores, and return what makes the run of them: call it in the end.

    Scores that no run names are shown nowhere, so each piece may be seen by itself.
    """
    with piece():
        signature, _ = Signature.objects.get_or_create(
            digest=made.digest,
            defaults={
                "text": made.text,
                "metric": made.metric,
                "outputs": made.outputs,
            },
        )
    _refuse_second(study, signature)
    waiting = iter(lines)
    while some := list(islice(waiting, PIECE)):
        scores = [
            Score(
                signature=signature,
                generation_id=ids[line.key],
                output=line.output,
                value=line.value,
                reason="" if line.value is not None else line.reason or UNDEFINED,
            )
            for line in some
        ]
        with piece():
            Score.objects.bulk_create(
                scores,
                update_conflicts=True,  # of a run that was deleted: its scores stay
                unique_fields=Score.KEY,
                update_fields=["value", "reason"],
            )
    if len(lines) > PIECE:
        planner.look_at(Score)

    def end() -> MetricRun:
        _refuse_second(study, signature)
        when = now or timezone.now()
        return _finished_run(study, signature, lines, ids, options, user, when)

    return end


def _refuse_second(study: Study, signature: Signature) -> None:
    if MetricRun.objects.filter(study=study, signature=signature).exists():
        raise UploadError([f"The study already has these scores: {signature.text}"])


def _finished_run(
    study: Study,
    signature: Signature,
    lines: list[Line],
    ids: dict[str, int],
    options: Mapping[str, object],
    user: User | None,
    now: datetime.datetime,
) -> MetricRun:
    """A run as if a worker had done it, so that pages show it like any other."""
    run = MetricRun.objects.create(
        study=study,
        metric=signature.metric,
        options=options,
        signature=signature,
        state=MetricRun.State.DONE,
        created_by=user,
        started_at=now,
        finished_at=now,
    )
    texts = list(dict.fromkeys(ids[line.key] for line in lines))
    Chunk.objects.create(
        run=run,
        index=0,
        generations=texts,
        state=Chunk.State.DONE,
        finished_at=now,
        done_items=len(texts),
        total_items=len(texts),
    )
    return run
