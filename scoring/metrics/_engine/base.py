"""What a metric is: facts that cost nothing to read, and a way to get its scorer.

A file in this folder whose name has no leading underscore is one metric: it defines one
public class that inherits from `Metric` or `SystemMetric`. Nothing is registered.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from annotation.sentences import respelled
from scoring.errors import MetricError as MetricError
from scoring.errors import OptionError as OptionError
from scoring.metrics._engine.options import NoOptions as NoOptions
from scoring.metrics._engine.options import checked
from scoring.metrics._engine.options import option as option
from scoring.option_fields import option_fields

GAP = "[…]"  # in explanations, whatever the model's own mask token is
LOG_PROBABILITY = "log_probability:"  # a corpus column; the system's name follows

BUNDLED = "bundled:"  # begins the names of models that come with EvalApp

# What `Scores.parts` are of: questions to a model, or references.
Parts = Literal["evaluators", "references"]

# Called a few times per second at most, with the number of texts finished since the
# last call; 0 is a sign of life. May raise to stop early: the exception is let through.
Progress = Callable[[int], None]


def silent(n: int) -> None:
    """For callers that did not ask for progress."""


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """One text to score, and what it was written for."""

    text: str  # full text, prefix included
    prefix: str = ""  # content prefix X
    label: str = ""  # attribute label a
    source: str = ""  # what the text answers: a document, a dialogue context
    references: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()  # of text, if already known; empty: metric splits
    targeted: tuple[str, ...] = ()  # references too, made by correcting this very text

    def __post_init__(self) -> None:
        """Spell the prefix in text and references as it is given, for all metrics."""
        text = respelled(self.prefix, self.text)
        if text != self.text:
            object.__setattr__(self, "text", text)
            object.__setattr__(self, "sentences", ())  # they have the other spelling
        for name in ("references", "targeted"):
            found = tuple(respelled(self.prefix, one) for one in getattr(self, name))
            object.__setattr__(self, name, found)


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """One number that a metric gives.

    `higher_is_better` None: what counts is closeness to human text, from either side.
    `measures` is the key of the human aspect that the number is meant for, if any.
    `quality` False: the number says nothing about how good a text or a system is, so it
    is neither ranked nor compared with people.
    """

    key: str  # words joined by _: "attribute_relevance"
    title: str
    unit: str
    higher_is_better: bool | None
    measures: str | None = None
    quality: bool = True


def output_key(word: str) -> str:
    """The key of an output that was named with hyphens, as keys once had them.

    >>> output_key("attribute-relevance")
    'attribute_relevance'
    """
    return word.replace("-", "_")


class MarkedError(NamedTuple):
    """A place where a metric finds an error.

    Offsets are code points of the example's text, or of its source; with start == end
    something is missing there.
    """

    start: int
    end: int
    category: str
    severity: str
    side: Literal["text", "source"]
    words: str


class Unplaced(NamedTuple):
    """An error whose place is not known."""

    code: str  # "absent": its words do not stand in the text; "ambiguous": twice
    words: str
    category: str = ""
    severity: str = ""


class Marked(NamedTuple):
    """The errors that a metric finds in one text."""

    marks: tuple[MarkedError, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()


class Scores(NamedTuple):
    """Results for n examples."""

    values: dict[str, np.ndarray]  # by output key; float64, shape (n,); NaN = undefined
    reasons: dict[str, list[str | None]]  # by output key; why, where NaN
    parts: dict[str, np.ndarray] = {}  # e.g. per evaluator, shape (n, evaluators)
    notes: tuple[str, ...] = ()  # sentences that readers of the scores must know
    # Of a metric that marks errors, (n,); None: it has not read the text.
    marked: Sequence[Marked | None] = ()


class Evaluator(NamedTuple):
    """One of the questions that a score is made of, as a reader may see it."""

    source: str  # what the model is given, the gap written as GAP
    target: str  # what it is to fill in


@dataclasses.dataclass(frozen=True, slots=True)
class Series:
    """A part whose numbers a page draws as bars, one for each word or answer."""

    part: str  # of `Scores.parts`
    title: str
    unit: str
    words: str = ""  # what the numbers say
    names: tuple[str, ...] = ()  # of the numbers; none: they are of a text's tokens
    # The part that says where in the full text each token ends, in characters.
    ends: str = ""


class Scorer(Protocol):
    """A loaded metric."""

    signature: str

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores: ...


class _Facts(ABC):
    title: ClassVar[str]
    source: ClassVar[str]  # "Ke et al. (2022), eq. 8"
    link: ClassVar[str] = ""
    Options: ClassVar[type] = NoOptions
    needs: ClassVar[frozenset[str]] = frozenset()  # prefix label source references ...
    needs_one_of: ClassVar[frozenset[str]] = frozenset()  # any of these will do
    uses: ClassVar[frozenset[str]] = frozenset()  # what it does without, but worse
    short: ClassVar[str] = ""  # its name before that of an output; empty: the title
    parts_are: ClassVar[Parts] = "evaluators"
    version: ClassVar[int] = 1  # raised whenever the same input gives another number

    def __init__(self, **options: Any) -> None:
        self.options = self.Options(**checked(self.Options, options))

    @classmethod
    def name(cls) -> str:
        return cls.__module__.rpartition(".")[2]

    @property
    def needs_gpu(self) -> bool:
        """Whether it waits for a worker with a GPU: if it names a model of some size.

        The models that come with EvalApp are small enough for a processor. A metric
        that knows better sets `needs_gpu = True`, or False, in its class.
        """
        return not all(name.startswith(BUNDLED) for name in self.named_models)

    @property
    def named_models(self) -> list[str]:
        """What its options name as models, in their order."""
        fields = [one for one in option_fields(self.Options) if one.path == "model"]
        named = (str(getattr(self.options, one.name) or "") for one in fields)
        return [name for name in named if name]

    @property
    @abstractmethod
    def outputs(self) -> tuple[Output, ...]:
        """May depend on the options."""

    @classmethod
    def suited(cls, has: frozenset[str]) -> dict[str, Any]:
        """Options for texts that have only these things: prefix, source, references.

        For starting many metrics at once without choosing anything.
        """
        return {}

    def explain(self, example: Example) -> dict[str, list[Evaluator]]:
        """The evaluators of a text by output key, in the order of `Scores.parts`.

        Loads nothing. Empty where the metric has no parts, or the text no score.
        """
        return {}

    @property
    def series(self) -> tuple[Series, ...]:
        """Parts that pages draw. May depend on the options."""
        return ()

    def check(self) -> None:  # noqa: B027 - most options go together
        """Raise OptionError if the options do not go together, or one is missing.

        Loads nothing, so that a form can say it before a run is queued.
        """

    def signature(self, **contents: str) -> str:
        """Name, what was loaded, options, version. Contents of files, never paths.

        `contents` replaces options that name a file or a model by what was found there.
        """
        options = dataclasses.asdict(self.options)
        for field in option_fields(self.Options):
            if field.late and options[field.name] == field.default:
                del options[field.name]
        pairs = {**options, **contents}
        if pairs.get("dtype") == "bfloat16":
            # Probabilities could exceed 1 at first; other numbers are as they were.
            pairs["dtype"] = "bfloat16.2"
        parts = [f"{key}:{value}" for key, value in sorted(pairs.items())]
        return "|".join([self.name(), *parts, f"v:{self.version}"])


class Metric(_Facts):
    """Scores one text at a time."""

    @abstractmethod
    def load(self, device: str = "cpu") -> Scorer:
        """Load what it needs. torch and transformers are imported here, not before."""


@dataclasses.dataclass(frozen=True, slots=True)
class SystemTexts:
    """All texts of one system, and what they are compared with."""

    texts: tuple[str, ...]
    corpus: tuple[str, ...] = ()  # human texts; empty: none were chosen
    # ln of each text's probability under its system, nats; NaN or empty: not known.
    log_probabilities: tuple[float, ...] = ()
    # Each text with what it was written for, in the same order; empty: not known.
    examples: tuple[Example, ...] = ()
    # How sampling cut off the system's distribution, "top-p 0.9"; empty: not at all.
    cut: str = ""
    # The prompt of each text and its sample number; "" and empty: unknown. Corpus texts
    # that answer a prompt of the study have its name.
    prompts: tuple[str, ...] = ()
    samples: tuple[int, ...] = ()
    corpus_prompts: tuple[str, ...] = ()
    # ln of each human text's probability under the system; NaN or empty: not known.
    corpus_log_probabilities: tuple[float, ...] = ()
    # If a metric asks for it: the system's name, the other systems of the study (with
    # their names, texts, prompts and samples only), and a seed that they all share.
    name: str = ""
    others: tuple[SystemTexts, ...] = ()
    seed: int | None = None


class SystemScores(NamedTuple):
    """Results for one system."""

    # By output key; float64, shape (seeds,), NaN = undefined; (1,) without chance.
    values: dict[str, np.ndarray]
    reasons: dict[str, str] = {}  # by output key; why, where NaN
    # Plain lists and numbers: curves, seconds of stages.
    details: dict[str, object] = {}
    notes: tuple[str, ...] = ()  # sentences that readers of the scores must know
    # By output key: the standard deviation that other texts would cause in the mean
    # over seeds.
    spread: dict[str, float] = {}


class SystemScorer(Protocol):
    """A loaded metric of systems."""

    signature: str

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores: ...


Numbers = Mapping[str, float | str | None]
Function = Callable[[Sequence[str], Sequence[str], np.random.Generator], Numbers]


class OneNumber:
    """A scorer of systems made of a function that gives one number for each output.

    In place of a number the function may say in a sentence why there is none.
    """

    def __init__(
        self, signature: str, function: Function, notes: tuple[str, ...] = ()
    ) -> None:
        self.signature, self._function, self._notes = signature, function, notes

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        found = self._function(given.texts, given.corpus, rng)
        missing = {key: v for key, v in found.items() if isinstance(v, str)}
        values = {
            key: np.array([np.nan if v is None or key in missing else v], float)
            for key, v in found.items()
        }
        return SystemScores(values, missing, notes=self._notes)


class SystemMetric(_Facts):
    """Scores a set of texts at once: all those of a system."""

    @property
    def compares(self) -> bool:
        """Whether a system's numbers depend on the texts of the other systems."""
        return False

    def load(self, device: str = "cpu") -> SystemScorer:
        """Load what it needs, which is nothing unless a metric says otherwise."""
        return OneNumber(self.signature(), self.score)

    def score(
        self, texts: Sequence[str], corpus: Sequence[str], rng: np.random.Generator
    ) -> Numbers:
        """One number, or None, for each output. A metric has this or its own `load`."""
        raise NotImplementedError
