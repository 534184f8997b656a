"""What is said of a study that is published. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from scoring.stats.estimates import Estimate

Level = Literal["all", "some", "none"]  # of single ratings that are published


@dataclass(frozen=True, slots=True)
class Aspect:
    """One question, and how far people agreed on it."""

    key: str
    title: str
    question: str
    low: int
    high: int
    labels: Mapping[int, str]
    kind: str  # points or slider
    level: str  # ordinal or interval
    about: str  # text or dialogue
    higher_is_better: bool
    cannot_say: bool
    standard: bool  # one of those that EvalApp offers, word by word
    n_ratings: int
    alpha: Estimate


@dataclass(frozen=True, slots=True)
class System:
    """Who wrote texts, and what people and metrics gave them."""

    name: str
    kind: str
    model: str
    top_p: float | None
    top_k: int | None
    n_texts: int
    means: Sequence[Estimate] = ()  # by people, one for each aspect
    scores: Sequence[Estimate] = ()  # one for each output


@dataclass(frozen=True, slots=True)
class Output:
    """One number that a metric gives, and how far it agrees with people."""

    id: str
    metric: str
    title: str  # of the metric
    key: str
    label: str
    signature: str
    higher_is_better: bool | None
    unit: str
    source: str
    link: str
    judge: str  # the model that judged; empty: no judge
    options: Mapping[str, object]
    agreement: Sequence[Estimate] = ()  # with people, one for each aspect


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is."""

    texts: int
    prompts: int
    ratings: int  # that count
    raters: int  # whose ratings count
    raters_excluded: int
    pages: int  # that count
    pages_discarded: int
    votes: int
    damaged: int  # texts
    excluded: int  # texts


@dataclass(frozen=True, slots=True)
class Has:
    """What texts come with."""

    prefix: bool
    source: bool
    label: bool
    references: bool
    dialogues: bool


@dataclass(frozen=True, slots=True)
class Protocol:
    """How ratings were collected, in sentences, one for each thing."""

    collected: bool  # here, on pages; else they came in files
    platform: str  # empty: ratings came in files
    recruiting: str
    pay: str  # empty: nothing is known
    paid: bool | None
    practice: str  # empty: none
    quality: Sequence[str]  # checks
    damaged: str  # empty: none
    pages: str  # what a page shows
    order: str
    sampling: str
    timing: str
    contact: bool  # whether workers are told whom to write to
    plan: str  # what was fixed beforehand; empty: nothing
    first: str  # ISO dates of the first and the last page; empty: unknown
    last: str
    pairs: bool
    ratings_per_text: int


@dataclass(frozen=True, slots=True)
class Published:
    """What a researcher says of it."""

    licence: str = ""
    authors: Sequence[str] = ()
    affiliation: str = ""
    paper: str = ""
    ethics: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """A study."""

    name: str
    title: str
    language: str  # code
    simulated: bool
    made_at: str  # ISO date and time
    version: str  # of EvalApp
    instructions: str
    consent: Sequence[str]  # what raters agreed to, each wording once
    debrief: str
    warning: str  # of content
    contact: str
    level: Level
    aspects: Sequence[Aspect]
    systems: Sequence[System]
    outputs: Sequence[Output]
    counts: Counts
    has: Has
    protocol: Protocol
    published: Published = field(default_factory=Published)
    # Of agreement with people, and of what it is within: "Pearson r within prompts".
    coefficient: str = "correlation"

    @property
    def heading(self) -> str:
        return self.title or self.name
