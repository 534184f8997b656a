"""Scores computed elsewhere, as a csv file: they stand in every table beside ours.

Columns:

    key          of the text, as in the study
    output       what the number is: quality, fluency
    value        the number; empty: the metric gives none for this text
    direction    higher or lower (which is better), or closeness (to human text);
                 optional: where it is not there, people are asked
    metric       optional: the metric's name; empty: uploaded
    signature    optional: how the numbers were made: comet|model:wmt22-comet-da
    text         optional: the words of the text, as the export of texts has them; they
                 must be those of the text with this key

Each metric and signature in the file becomes one finished run. Output keys that are
aspects of the study are matched with them; hyphens in them become underscores, as all
keys of outputs have them.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import chain, count, islice
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.imports import Ids, Problems, Source, UploadError, ids_of
from annotation.imports import limits as upload_limits
from annotation.imports.intakes import Direction, record_of_intake, save_record
from annotation.models import Import, Study
from evalapp import planner
from scoring.drawing.words import capitalized
from scoring.metrics import Output, output_key
from scoring.models import Chunk, MetricRun, Score, Signature
from scoring.runs import pairs
from scoring.runs.score_lines import (
    DIRECTION,
    DIRECTIONS,
    NAME,
    WORD,
    Line,
    Made,
    as_word,
    check_lines,
    direction_of,
    lower_by_name,
    read_lines,
    without_directions,
)

UNDEFINED = "no value in the uploaded file"
INTAKE = "scores"  # of the register, and format of an import
CONFIRMED = "ids_confirmed"  # of a run: people have compared pairs with their file
PIECE = 500  # scores in one transaction: others write in between
Piece = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class About:
    """Where scores come from, and to which study."""

    study: Study
    options: Mapping[str, object]
    user: User | None
    now: datetime.datetime | None
    record: Import | None


@dataclass(frozen=True)
class Checked:
    """Scores of a file that fit the texts of a study. Nothing is stored yet."""

    study: Study
    lines: list[Line]
    ids: Ids
    options: dict[str, str]

    @property
    def doubt(self) -> str:
        """What only a person can say; empty: nothing."""
        return " ".join(filter(None, (self.doubt_of_ids, self._doubt_of_directions)))

    @property
    def doubt_of_ids(self) -> str:
        return pairs.doubt(self.lines, self.ids)

    @property
    def _doubt_of_directions(self) -> str:
        found = {one.output: one.direction for one in self.lines if one.is_proposed}
        if not found:
            return ""
        told = ", ".join(f"{output}: {word}" for output, word in found.items())
        return (
            "The file does not say which way its scores are better. By their names:"
            f" {told}. A column direction says otherwise."
        )

    def pairs(self) -> list[pairs.Pair]:
        """Three of them, to be looked at before they are stored."""
        return pairs.pairs(self.lines, self.ids)

    def directions(self) -> list[Direction]:
        """Which way each output is better, as the file says."""
        found = {line.output: line for line in self.lines}
        return [
            Direction(
                output,
                line.direction,
                by_name=lower_by_name(output),
                is_proposed=line.is_proposed,
            )
            for output, line in found.items()
        ]

    def turn(self, directions: Mapping[str, str]) -> None:
        """What people say counts more than what the file says."""
        turn(self.lines, directions)

    def store(
        self, *, user: User | None = None, now: datetime.datetime | None = None
    ) -> list[MetricRun]:
        """One finished run for each signature, all or none."""
        confirmed = {CONFIRMED: "yes"} if self.doubt_of_ids else {}
        options = {**self.options, **confirmed}
        n = len(self.lines)
        record = record_of_intake(self.study, INTAKE, options, n, user)
        ended = stored(
            study=self.study,
            lines=self.lines,
            ids=self.ids.texts,
            options=options,
            user=user,
            now=now,
            record=record,
        )
        with transaction.atomic():
            save_record(record, now or timezone.now())
            return [end() for end in ended]


def turn(lines: Iterable[Line], directions: Mapping[str, str]) -> None:
    """Note where people say of an output that it is better the other way.

    It becomes part of the signature: another study may have the same file as it is.
    """
    for line in lines:
        word = directions.get(line.output, line.direction)
        if word != line.direction and word in DIRECTIONS:
            line.direction, line.is_turned = word, True


def read(*, study: Study, file: BinaryIO, file_name: str) -> Checked:
    """Check a file of scores against the texts of a study.

    Raises:
        UploadError: With everything that is wrong.
    """
    problems = Problems()
    source = Source(file, upload_limits(), problems)
    lines, ids = read_lines(source, problems), ids_of(study)
    check_lines(lines, ids.texts, problems)
    pairs.check(lines, study, ids, problems)
    problems.raise_if_any()
    options = {"file": file_name[-255:], "sha256": source.sha256}
    return Checked(study, lines, ids, options)


def add(
    *,
    study: Study,
    file: BinaryIO,
    file_name: str,
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> list[MetricRun]:
    """Add the scores of a file whose ids leave no doubt: where nobody can be asked.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    checked = read(study=study, file=file, file_name=file_name)
    if checked.doubt:
        raise UploadError([checked.doubt, *map(str, checked.pairs())])
    return checked.store(user=user, now=now)


def stored(
    *,
    study: Study,
    lines: Iterable[Line],
    ids: dict[str, int],
    options: Mapping[str, str],
    user: User | None = None,
    now: datetime.datetime | None = None,
    record: Import | None = None,
) -> list[Callable[[], MetricRun]]:
    """Store scores that were checked, and return what makes the runs of them.

    `options` have the name of the file and its "sha256", which is in all signatures.
    `record` is saved before the runs are made.
    """
    about = About(study, options, user, now, record)
    groups: dict[Made, list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.made].append(line)
    aspects = set(study.aspects.values_list("key", flat=True))
    signatures = [
        _signature(made, group, options["sha256"], aspects)
        for made, group in groups.items()
    ]
    return [
        _save(about, signature, group, ids, transaction.atomic)
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
    record: Import | None = None,
    **_: object,
) -> Callable[[], MetricRun]:
    """Add scores that came with texts, as key, metric and value: one finished run.

    Receives `annotation.imports.scores_came`. The run is made by what this returns.
    """
    made, titles = Made(NAME, ""), dict[str, str]()
    lines = [
        Line(0, made, key, _named(metric, titles), value, direction_of(metric))
        for key, metric, value in scores
    ]
    ids = dict(study.generations.values_list("key", "pk"))
    problems = Problems()
    check_lines(lines, ids, problems)
    problems.raise_if_any()
    aspects = set(study.aspects.values_list("key", flat=True))
    signature = _signature(made, lines, sha256, aspects, titles)
    options = {"file": file_name, "sha256": sha256}
    about = About(study, options, user, None, record)
    return _save(about, signature, lines, ids, piece)


def _named(metric: str, titles: dict[str, str]) -> str:
    """A name for addresses and files: "Perplexity (GPT-2)" is its title."""
    plain = output_key(metric)
    if WORD.fullmatch(plain):
        return plain
    key = as_word(metric)[:60]
    keys = chain([key], (f"{key}_{n}" for n in count(2)))  # "BLEU (1)" and "BLEU [1]"
    return next(key for key in keys if titles.setdefault(key, metric) == metric)


def _signature(
    made: Made,
    lines: list[Line],
    sha256: str,
    aspects: set[str],
    titles: Mapping[str, str] | None = None,
) -> Signature:
    parts = [NAME, *([made.metric] if made.metric != NAME else []), made.signature]
    turned = {line.output: line.direction for line in lines if line.is_turned}
    parts += [f"{DIRECTION}{output}={word}" for output, word in turned.items()]
    text = "|".join([*filter(None, parts), f"file:sha256:{sha256[:16]}"])
    outputs = {line.output: DIRECTIONS[line.direction] for line in lines}
    return Signature(
        digest=Signature.digest_of(text),
        text=text,
        metric=made.metric,
        outputs=[
            asdict(_output(key, better, aspects, (titles or {}).get(key, "")))
            for key, better in outputs.items()
        ],
    )


def _output(
    key: str, higher_is_better: bool | None, aspects: set[str], title: str = ""
) -> Output:
    return Output(
        key=key,
        title=title or capitalized(key.replace("_", " ")),
        unit="as uploaded",
        higher_is_better=higher_is_better,
        measures=next((one for one in aspects if output_key(one) == key), None),
    )


def _save(
    about: About,
    made: Signature,
    lines: list[Line],
    ids: dict[str, int],
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
    _refuse_second(about.study, signature)
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
        _refuse_second(about.study, signature)
        return _finished_run(about, signature, lines, ids)

    return end


def _refuse_second(study: Study, signature: Signature) -> None:
    if is_there(study, signature):
        raise UploadError([f"The study already has these scores: {signature.text}"])


def is_there(study: Study, signature: Signature) -> bool:
    """Whether the study has these scores, whichever way they are said to be better."""
    runs = MetricRun.objects.filter(study=study, metric=signature.metric)
    texts = runs.exclude(signature=None).values_list("signature__text", flat=True)
    this = without_directions(signature.text)
    return any(without_directions(text) == this for text in texts)


def _finished_run(
    about: About, signature: Signature, lines: list[Line], ids: dict[str, int]
) -> MetricRun:
    """A run as if a worker had done it, so that pages show it like any other."""
    now = about.now or timezone.now()
    run = MetricRun.objects.create(
        study=about.study,
        metric=signature.metric,
        options=about.options,
        imported=about.record,
        signature=signature,
        state=MetricRun.State.DONE,
        created_by=about.user,
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
