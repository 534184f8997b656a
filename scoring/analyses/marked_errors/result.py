"""The result of the analysis "marked_errors"."""

from __future__ import annotations

from typing import Literal, TypedDict

from scoring.analyses.variants.result import Difference
from scoring.stats.estimates import Number


class Floor(TypedDict):
    """A guess, and how far the metric is above it."""

    name: str  # "moved" or "other texts"
    f: Number
    above: Difference


class Metric(TypedDict):
    name: str
    n_texts: int  # that it and a person have read
    n_marks: int  # in these texts
    absent: int  # errors whose words do not stand in their text
    ambiguous: int  # errors whose words stand in it more than once
    precision: Number
    recall: Number
    f: Number
    wmt25: Number  # F over characters
    ceiling: Number  # F of people with each other, on the same texts
    to_ceiling: Difference  # of the metric, less the ceiling
    floors: list[Floor]


class NamedByMetric(TypedDict):
    """What a metric makes of the errors of one name."""

    metric: str
    recall: Number  # of people's marks of this name, whatever the metric calls its own
    f: Number  # of marks of this name with each other


class Name(TypedDict):
    """A category or a severity."""

    name: str
    n_marks: int  # by people
    alpha: Number  # of characters
    metrics: list[NamedByMetric]  # in the order of the result's


class People(TypedDict):
    """How far people agree."""

    f: Number  # of each two, mpp
    wmt25: Number
    characters: Number  # alpha: is a character part of an error?
    marks: Number  # alpha for unitizing: where an error begins and ends
    categories: Number  # the same, and what it is
    has_error: Number  # alpha: does a text have an error at all?
    equal: Number  # share of pairs who agree on that


class Part(TypedDict):
    """A stretch of a text that the same judges have marked."""

    start: int
    end: int
    words: str
    people: int  # who marked it
    metrics: list[str]  # that marked it


class Passage(TypedDict):
    text: str  # its key
    n_people: int  # who have read it
    parts: list[Part]
    source: list[Part]  # the same of its source; none: it cannot be marked


class Result(TypedDict):
    n_texts: int  # that somebody has read
    n_people: int
    n_marks: int  # by people
    shared: Literal["each", "together"]  # see `numbers.LEAST_SHARED`
    people: People
    metrics: list[Metric]  # the highest F first
    family: int  # tests that p is adjusted for
    categories: list[Name]
    severities: list[Name]
    passages: list[Passage]
