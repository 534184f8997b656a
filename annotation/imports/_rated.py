"""Which columns may hold what people rated. Pure.

By their names and what is in them; where another reading is as likely, they are only
proposed, and somebody is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from annotation.imports._asking import answers, answers_in_words
from annotation.imports._cells import whole, with_point
from annotation.imports._names import (
    ASPECTS,
    BESIDE_RATINGS,
    COUNTS,
    IGNORE,
    MEANS,
    RATER_HEAD,
    SUBSCALES,
    names_metric,
)
from annotation.imports._nested import inner_name
from annotation.imports._profile import Column
from annotation.imports._values import (
    is_complete,
    is_numbered,
    is_scale,
    proposed,
    steps,
)
from annotation.imports.files import EARLIER, SKIPPED

UNNAMED = "column "  # begins what we call a column without a name
MOST_UNNAMED = 10  # the highest number of a scale that nothing names
MOST_BELOW = 5  # how far a scale goes below 0
MOST_WORDS = 11  # answers
LONGEST_ANSWER = 5  # words on average


def has_answers(column: Column, known: Collection[str]) -> bool:
    """Whether words are answers on a scale, such as Agree."""
    some = answers_in_words([column])
    if not some or len(some) > MOST_WORDS or column.is_mostly_numbers:
        return False
    if is_scale(some) or is_numbered(some):
        return True
    repeats = sum((column.values or {}).values()) >= 2 * len(some) or is_complete(
        proposed(some)
    )
    return bool(known) and repeats and column.mean_words <= LONGEST_ANSWER


def about_of(column: Column) -> str:
    """What it rates, by its name, in which a colon would begin the rater's."""
    return " ".join(inner_name(column.name).replace(":", " ").split())


def looks_rated(column: Column) -> bool:
    """Whether it would hold ratings or scores if its cells were numbers."""
    if column.is_mostly_numbers or column.name.startswith((EARLIER, SKIPPED)):
        return False
    known = ASPECTS.intersection(column.words.split())
    return bool(known) or names_metric(column.words)


def is_off_scale(column: Column) -> bool:
    """Whether it has the name of ratings, but numbers that none have."""
    known = ASPECTS.intersection(column.words.split())
    return bool(known) and column.is_mostly_numbers and not in_range(column)


def has_rated_lists(column: Column) -> bool:
    """Whether lists hold answers on a scale: not lengths, and no scores of metrics."""
    some = [one for one in answers([column]) or () if whole(with_point(one)) is None]
    return (
        in_range(column)
        and column.values is not None
        and (not some or bool(steps(answers_in_words([column]))))
    )


def in_range(column: Column) -> bool:
    low, high = column.ends
    if low < 0:  # from -2 to 2
        return low >= -MOST_BELOW and high <= MOST_BELOW
    return high <= 100


def of_raters(columns: Sequence[Column], found: dict[str, str]) -> list[str]:
    """Columns such as "coherence ann" and "coherence ben": raters of one aspect."""
    by_aspect: dict[str, list[tuple[str, str]]] = {}
    for column in columns:
        kind, _, about = found[column.name].partition(":")
        words = column.words.split()
        if kind == "rating" and about == about_of(column) and len(words) > 1:
            for aspect in ASPECTS.intersection((words[0], words[-1])):
                others = [word for word in words if word != aspect]
                if not _are_part(others):
                    named = (column.name, " ".join(others))
                    by_aspect.setdefault(aspect, []).append(named)
    names = []
    for aspect, some in by_aspect.items():
        sure = [RATER_HEAD.fullmatch(rater) is not None for _, rater in some]
        differ = len({rater for _, rater in some}) == len(some)
        if differ and (len(some) > 1 or all(sure)):
            for (name, rater), is_rater in zip(some, sure, strict=True):
                found[name] = f"rating:{aspect}:{rater}"
                if not is_rater:
                    names.append(name)
    return names


def _are_part(words: Collection[str]) -> bool:
    """Overall quality, content quality, quality of grammar."""
    return bool(ASPECTS.intersection(words)) or SUBSCALES.issuperset(words)


def in_steps(columns: Sequence[Column], found: dict[str, str]) -> None:
    """Half points of one rater are ratings; without a rater they may be means."""
    if "rater" in found.values():
        for column in columns:
            some = answers([column])
            about = about_of(column)
            if found[column.name] == f"mean:{about}" and some and steps(some):
                found[column.name] = f"rating:{about}"


def in_doubt(columns: Sequence[Column], found: dict[str, str]) -> list[str]:
    """Propose ratings by what columns hold: of any scale, or of that of the others."""
    kinds = {role.partition(":")[0] for role in found.values()}
    if not {"text", "messages"} & kinds:
        return []
    rated = [c for c in columns if found[c.name].startswith(("rating:", "mean:"))]
    names = []
    for column in columns:
        if found[column.name] == IGNORE and _is_in_doubt(column, rated):
            by_number = RATER_HEAD.fullmatch(column.words)
            about = f"rating:{about_of(column)}" if by_number else about_of(column)
            found[column.name] = f"rating:{about}"
            names.append(column.name)
    return names


def may_be_lists(columns: Sequence[Column], found: dict[str, str]) -> list[str]:
    """Means such as 1,2 that may be the ratings of two people as well."""
    return [
        column.name
        for column in columns
        if found[column.name].startswith("mean:")
        and column.style.may_be_lists
        and MEANS.isdisjoint(column.words.split())
    ]


def _is_in_doubt(column: Column, rated: Sequence[Column]) -> bool:
    if _is_nobodys(column) or BESIDE_RATINGS.search(column.words):
        return False
    if not column.is_mostly_numbers:
        words = answers_in_words([column])
        known = len(words) > 1 and is_complete(proposed(words))
        return not rated and known and has_answers(column, ASPECTS)
    low, high = column.ends
    if not (column.is_numeric and column.is_whole and low < high):
        return False
    if not rated:
        return in_range(column)
    most = max([MOST_UNNAMED, *(min(100, one.ends[1]) for one in rated)])
    alike = any(_has_scale_of(column, one) for one in rated)
    return alike and low >= 0 and high <= most


def _has_scale_of(column: Column, rated: Column) -> bool:
    """About: not every answer of a scale is in every file."""
    low, high = rated.ends
    return low - 1 <= column.ends[0] and 0.5 * high <= column.ends[1] <= 1.5 * high


def may_be_rated(column: Column, most: float = MOST_UNNAMED) -> bool:
    """Short whole numbers of a usual scale, and not under a name that counts."""
    low, high = column.ends
    return (
        column.is_numeric
        and column.is_whole
        and 0 <= low <= high <= most
        and not _is_nobodys(column)
    )


def numbers_rows(column: Column) -> bool:
    """Whether it is 1, 2, 3 ...: in few rows ratings may be, too, if it has a name."""
    is_long = column.n_values > MOST_UNNAMED
    return column.is_running and (is_long or column.name.startswith(UNNAMED))


def _is_nobodys(column: Column) -> bool:
    """Whether it counts something, numbers the rows, or is none of the file's own.

    Nor are several boxes that one person ticked a rating.
    """
    counts = COUNTS.search(column.words) or column.are_choices or numbers_rows(column)
    return bool(counts) or column.name.startswith((EARLIER, SKIPPED))
