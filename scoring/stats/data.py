"""Everything that the analyses of a study are computed from, as arrays.

Rows refer to each other by position: `ratings.text[k]` is a row of `texts`. A study's
data can be written to a folder of plain files and read again without a difference, so
that someone else computes every number from the files (`folder.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np

from scoring.stats._columns import tied
from scoring.stats._digest import digest
from scoring.stats.columns import (
    NONE,
    Aspect,
    Columns,
    Drawn,
    ErrorMarks,
    MarkedTexts,
    MarkedWords,
    Means,
    MetricMarks,
    NegativeRatings,
    Negatives,
    Ratings,
    System,
    Texts,
    UnplacedErrors,
    Unsaid,
    Votes,
    column_type,
)
from scoring.stats.human import human_scores
from scoring.stats.option import option
from scoring.stats.seeds import spread

__all__ = [
    "BESIDE",
    "NONE",
    "Aspect",
    "Data",
    "Drawn",
    "ErrorMarks",
    "Evaluators",
    "Filters",
    "MarkedTexts",
    "MarkedWords",
    "Means",
    "MetricMarks",
    "UnplacedErrors",
    "NegativeRatings",
    "Negatives",
    "Output",
    "Ratings",
    "System",
    "Texts",
    "Unsaid",
    "Votes",
    "column_type",
    "numbers",
]

T = TypeVar("T")

# SD that other texts would cause, the mean by chance, and its p.
BESIDE = ("spread", "chance", "p")


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a metric under one signature."""

    id: str  # "3fa9c1d2:coherence", the same on every machine
    metric: str
    key: str
    label: str  # "CTRLEval: coherence"
    variant: str  # tells two signatures of one metric apart
    signature: str
    higher_is_better: bool | None  # None: closeness to human text counts
    measures: str | None  # key of the aspect it is meant for
    signature_id: int | None = None  # None: counted without a run
    options: str = ""  # of the run, as JSON
    unit: str = ""
    reason: str = ""  # why there is no score at all
    small_model: bool = False  # scored by a small model that came with the app
    quality: bool = True  # False: neither ranked nor compared with people
    parameters: int | None = None  # of its model, where it has one and they are known
    # By the researcher, "before" or "after" any result was shown; "" = it was not.
    chosen: str = ""

    @property
    def baseline(self) -> bool:
        """Whether it is a length, which a metric should beat."""
        return self.metric == "length"

    @property
    def name(self) -> str:
        return f"{self.label} ({self.variant})" if self.variant else self.label

    @property
    def sign(self) -> int:
        """What turns scores so that higher is better."""
        return -1 if self.higher_is_better is False else 1


BY_REFERENCE = "/references"


@dataclass(frozen=True, slots=True)
class Evaluators:
    """What the parts of one output gave: scores s and weights w of its evaluators.

    Or its scores with each reference: then `BY_REFERENCE` follows the id.
    """

    output: str  # id
    s: np.ndarray  # (n, e) float, NaN = not known
    w: np.ndarray  # (n, e) float


def _no(kind: type[Columns]) -> Any:
    """A table without rows."""
    return field(default_factory=kind.of)


@dataclass(frozen=True, slots=True)
class Data:
    """A study, or the part of it that an analysis asked for."""

    study: str
    scale: tuple[int, int]
    aspects: list[Aspect]
    systems: list[System]
    texts: Texts
    # Which texts are all of a dialogue, (n,) bool; (0,) = not one of them.
    whole: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    # Which texts are empty, as their system gave no output, (n,) bool; (0,) = none.
    no_output: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    drawn: Drawn = _no(Drawn)
    ratings: Ratings = _no(Ratings)
    unsaid: Unsaid = _no(Unsaid)
    means: Means = _no(Means)
    outputs: list[Output] = field(default_factory=list)
    scores: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # (n, outputs)
    system_outputs: list[Output] = field(default_factory=list)
    # A number of each seed; where there is no chance, or a gap, the rest is NaN.
    system_seeds: np.ndarray = field(
        default_factory=lambda: np.empty((0, 0, 0))
    )  # (systems, system_outputs, seeds)
    # What comes with the mean over seeds, see BESIDE; NaN = unknown.
    system_beside: np.ndarray = field(
        default_factory=lambda: np.empty((0, 0, 0))
    )  # (systems, system_outputs, BESIDE)
    # p of the difference of two systems, by relabelling their texts; NaN = no test.
    system_pairs: np.ndarray = field(
        default_factory=lambda: np.empty((0, 0, 0))
    )  # (systems, systems, system_outputs)
    negatives: Negatives = _no(Negatives)
    negative_ratings: NegativeRatings = _no(NegativeRatings)
    negative_scores: np.ndarray = field(
        default_factory=lambda: np.empty((0, 0))
    )  # (negatives, outputs)
    votes: Votes = _no(Votes)
    # Words of the first and the second text of each vote, (votes, 2), NaN = unknown;
    # (0, 0) = not one of them is known.
    vote_lengths: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    # Of judges over the network: `rater` is the judge. None is among people's votes.
    judge_votes: Votes = _no(Votes)
    marked_texts: MarkedTexts = _no(MarkedTexts)
    marked_words: MarkedWords = _no(MarkedWords)
    error_marks: ErrorMarks = _no(ErrorMarks)
    metric_marks: MetricMarks = _no(MetricMarks)
    unplaced: UnplacedErrors = _no(UnplacedErrors)
    # What `answer.surface` counts in each text, (n, features); (0, 0) = not asked for.
    surface: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    evaluators: list[Evaluators] = field(default_factory=list)
    simulated: bool = False
    policy: str = ""  # of quality control: "v2"
    tried: int = 0  # outputs that were ever computed, those that are gone included

    # Scores turned so that higher is better ------------------------------------------

    def metric_scores(self) -> np.ndarray:
        """(n, outputs) float64, NaN = none."""
        signs = np.array([output.sign for output in self.outputs])
        return self.scores * signs if len(signs) else self.scores

    @property
    def system_scores(self) -> np.ndarray:
        """(systems, system_outputs) as given: means over the seeds that have a value.

        What differs by rounding only is made equal, as ties count.
        """
        return tied(spread(self.system_seeds).mean.T).T

    def human_scores(self, *, with_discarded: bool = False) -> np.ndarray:
        """Mean rating of each text on each aspect, (n, aspects), higher = better."""
        values, _ = self.human_means(with_discarded=with_discarded)
        signs = [1 if aspect.higher_is_better else -1 for aspect in self.aspects]
        return values * np.array(signs) if signs else values

    def human_means(
        self, *, with_discarded: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean rating and number of ratings as given, each (n, aspects)."""
        shape = len(self.texts), len(self.aspects)
        total, n = np.zeros(shape), np.zeros(shape, np.int64)
        rated = self.ratings
        use = rated.valid | with_discarded
        np.add.at(total, (rated.text[use], rated.aspect[use]), rated.value[use])
        np.add.at(n, (rated.text[use], rated.aspect[use]), 1)
        at = self.means.text, self.means.aspect
        return human_scores(total, n, at, self.means.mean, self.means.n)

    def counts(
        self, aspect: int, *, with_discarded: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """How often each text got each value, (n, V), and the values, (V,)."""
        rated = self.ratings
        use = (rated.aspect == aspect) & (rated.valid | with_discarded)
        given = rated.value[use]
        values = np.union1d(self.points_of(aspect), given)
        found = np.zeros((len(self.texts), len(values)), np.int64)
        np.add.at(found, (rated.text[use], np.searchsorted(values, given)), 1)
        return found, values.astype(np.float64)

    def of_one_level(self, rated: np.ndarray) -> np.ndarray:
        """Texts that can be ranked with each other, (n,) bool.

        Single texts and turns are never ranked with whole dialogues. Whole dialogues it
        is where only these are rated, or where there is nothing else.

        Args:
            rated: Which texts have a human score on what is asked, (n,) bool.
        """
        if not self.whole.any() or self.whole.all():
            return np.ones(len(self.texts), bool)
        only_whole = (rated & self.whole).any() and not (rated & ~self.whole).any()
        return self.whole if only_whole else ~self.whole

    # Parts ---------------------------------------------------------------------------

    def scale_of(self, aspect: int) -> tuple[int, int]:
        """The ends of the scale on which people rated an aspect.

        Where it has no upper end, that is the highest number that somebody gave.
        """
        low, high = self.ends_of(aspect)
        if high is None:
            values = self.ratings.value[self.ratings.aspect == aspect]
            high = max(low + 1, int(np.ceil(values.max(initial=low))))
        return low, high

    def ends_of(self, aspect: int) -> tuple[int, int | None]:
        """The same, with None where there is no upper end."""
        return self.aspects[aspect].scale or self.scale

    def points_of(self, aspect: int) -> np.ndarray:
        """All answers that could be given; none where there is no upper end."""
        low, high = self.ends_of(aspect)
        return np.arange(low, low if high is None else high + 1)

    def aspect(self, key: str) -> int:
        return [aspect.key for aspect in self.aspects].index(key)

    def output(self, id: str) -> int:
        return [output.id for output in self.outputs].index(id)

    def only(self, kept: np.ndarray) -> Data:
        """The same study with some of its texts, (n,) bool, and what belongs to them.

        Systems, aspects, negatives and votes stay: only rows of texts move.
        """
        new = np.where(kept, np.cumsum(kept) - 1, NONE)
        source = self.negatives.source
        moved = np.where(source == NONE, NONE, new[source]) if len(new) else source
        return replace(
            self,
            texts=_rows(self.texts, kept),
            whole=self.whole[kept] if len(self.whole) else self.whole,
            no_output=self.no_output[kept] if len(self.no_output) else self.no_output,
            drawn=_rows(self.drawn, kept) if len(self.drawn) else self.drawn,
            ratings=_moved(self.ratings, new),
            unsaid=_moved(self.unsaid, new),
            means=_moved(self.means, new),
            marked_texts=_moved(self.marked_texts, new),
            marked_words=_moved(self.marked_words, new),
            error_marks=_moved(self.error_marks, new),
            metric_marks=_moved(self.metric_marks, new),
            unplaced=_moved(self.unplaced, new),
            scores=self.scores[kept] if len(self.scores) else self.scores,
            surface=self.surface[kept] if len(self.surface) else self.surface,
            negatives=replace(self.negatives, source=moved),
            evaluators=[
                replace(one, s=one.s[kept], w=one.w[kept]) for one in self.evaluators
            ],
        )

    def digest(self) -> str:
        """A name for exactly these numbers: equal data, equal digest."""
        return digest(self)


@dataclass(frozen=True)
class Filters:
    """Which texts and ratings an analysis counts. Empty = all."""

    systems: tuple[str, ...] = option((), "Systems", of="systems")
    labels: tuple[str, ...] = option((), "Labels", of="labels")
    prompts: str = option("", "Prompts", help="Numbers, such as 1-20, 33")
    with_discarded: bool = option(False, "Include discarded pages")
    with_excluded: bool = option(False, "Include excluded texts")
    with_informed: bool = option(False, "Include pages rated after the debriefing")
    seed: int = option(0, "Seed", min=0)

    def apply(self, data: Data, *, with_no_output: bool = False) -> Data:
        """As `of_texts`; discarded ratings count, or are gone.

        Raises:
            ValueError: If `prompts` names no numbers, with what was expected.
        """
        found = self.of_texts(data, with_no_output=with_no_output)
        rated = _rows(found.ratings, found.ratings.valid | self.with_discarded)
        return replace(
            found,
            ratings=replace(rated, valid=np.ones(len(rated), bool)),
            unsaid=_rows(found.unsaid, found.unsaid.valid | self.with_discarded),
            error_marks=_rows(
                found.error_marks, found.error_marks.valid | self.with_discarded
            ),
        )

    def of_texts(self, data: Data, *, with_no_output: bool = False) -> Data:
        """The texts that these filters leave, with their ratings, discarded ones too.

        People who know that a text is damaged look for it: their ratings are left out.

        `with_no_output`: empty texts stay, too, though excluded, for their scores.
        """
        texts = data.texts
        kept = ~texts.excluded | self.with_excluded
        if with_no_output and len(data.no_output):
            kept |= data.no_output
        if self.systems:
            names = [system.name for system in data.systems]
            wanted = [names.index(name) for name in self.systems if name in names]
            kept &= np.isin(texts.system, wanted)
        if self.labels:
            kept &= np.isin(texts.label, self.labels)
        if self.prompts.strip():
            kept &= np.isin(texts.prompt, numbers(self.prompts) - 1)
        found = data.only(kept)
        ratings, hidden, unsaid = found.ratings, found.negative_ratings, found.unsaid
        marks = found.error_marks
        return replace(
            found,
            ratings=_rows(ratings, ~ratings.informed | self.with_informed),
            unsaid=_rows(unsaid, ~unsaid.informed | self.with_informed),
            error_marks=_rows(marks, ~marks.informed | self.with_informed),
            negative_ratings=_rows(hidden, ~hidden.informed | self.with_informed),
        )


def numbers(text: str) -> np.ndarray:
    """Read "1-20, 33" as the numbers from 1 to 20, and 33.

    Raises:
        ValueError: With what was expected and what came.
    """
    found: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        ends = re.fullmatch(r"(\d{1,7})(?:\s*[-–]\s*(\d{1,7}))?", part)
        if not ends or int(ends[2] or ends[1]) < int(ends[1]):
            raise ValueError(
                f'expected numbers and ranges such as 1-20, 33; "{part}" is neither'
            )
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return np.array(found, np.int64)


def _rows(table: T, kept: np.ndarray) -> T:
    if kept.all():  # a million ratings are not copied
        return table
    cut = {f.name: getattr(table, f.name)[kept] for f in fields(table)}  # type: ignore[arg-type]
    return type(table)(**cut)


def _moved(table: Any, new: np.ndarray) -> Any:
    """Rows whose text is still there, with its new position."""
    at = new[table.text] if len(new) else table.text
    found = _rows(table, at != NONE)
    return replace(found, text=at[at != NONE])
