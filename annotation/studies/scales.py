"""Which scale a question can have, and labels of its points as people type them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from annotation.models import Annotation, Aspect, ImportedMean, PracticeText, Study
from annotation.models.aspects import FEWEST_POINTS, MOST_POINTS

DIGITS, MARKS = "0123456789", ":.=)–- "  # of a line such as "2: Poor"
MOST_CHARACTERS = 100  # of one label, as of the ends
OUTSIDE = "The practice page expects answers outside this scale: change it first."


class ScaleError(ValueError):
    """The scale cannot be as asked. `field` is the one to change."""

    def __init__(self, field: str, sentence: str) -> None:
        self.field = field
        super().__init__(sentence)


def settle(aspect: Aspect) -> None:
    """Drop what a slider has no use for, and check the rest. No query.

    Raises:
        ScaleError: With what was expected and what came.
    """
    if aspect.is_slider:
        aspect.scale_min = aspect.scale_max = None
        aspect.words = {}
        aspect.middle = ""
        return
    _check_ends(aspect.scale_min, aspect.scale_max)
    _check_words(aspect)


def _check_ends(low: int | None, high: int | None) -> None:
    if low is None and high is None:
        return
    if low is None or high is None:
        missing = "scale_min" if low is None else "scale_max"
        raise ScaleError(
            missing, "Give both ends of the scale, or none to use the study's scale."
        )
    points = high - low + 1
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        raise ScaleError(
            "scale_max",
            f"A scale has {FEWEST_POINTS} to {MOST_POINTS} points, the lowest first;"
            f" {low} to {high} does not. For finer answers choose the slider.",
        )
    if high > 100:
        raise ScaleError("scale_max", f"A scale ends at 100 at most, not at {high}.")


def _check_words(aspect: Aspect) -> None:
    words = aspect.words
    are_words = isinstance(words, dict) and all(
        isinstance(word, str) for word in words.values()
    )
    if not are_words:
        raise ScaleError("words", 'Expected labels by number, such as {"2": "Poor"}.')
    for at, word in words.items():
        if not (str(at).isdecimal() and len(str(at)) <= 3 and int(at) in aspect.scale):
            low, high = aspect.ends
            raise ScaleError(
                "words",
                f"“{str(at)[:10]}” is no answer on the scale from {low} to {high}.",
            )
        if not 0 < len(word) <= MOST_CHARACTERS:
            raise ScaleError(
                "words",
                f"The label of {at} has {len(word)} characters: use 1 to"
                f" {MOST_CHARACTERS}.",
            )


# Labels as lines of text --------------------------------------------------------------


def read_words(text: str) -> dict[str, str]:
    """Read "2 Poor" and "4: Good", one a line.

    Raises:
        ScaleError: With the line that has no number, or repeats one.
    """
    found: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        line = line.strip()
        word = line.lstrip(DIGITS)
        digits, word = line[: len(line) - len(word)], word.lstrip(MARKS)
        if not (0 < len(digits) <= 3 and word):
            raise ScaleError(
                "words",
                f"Begin each line with a number, such as “2 Poor”. “{line[:40]}”"
                " does not.",
            )
        at = str(int(digits))
        if at in found:
            raise ScaleError("words", f"{at} has two labels: keep one.")
        found[at] = word
    return found


def written_words(words: dict[str, str]) -> str:
    """The same lines, lowest first."""
    return "\n".join(f"{at} {words[at]}" for at in sorted(words, key=int))


# Scales that answers depend on --------------------------------------------------------


def why_no_scale(study: Study, low: int, high: int) -> str:
    """Why the study cannot have this scale; empty where it can."""
    if low >= high or high > 100:
        return "The scale must go up and end at 100 at most."
    if study._state.adding:
        return ""
    before = Study.objects.values_list("scale_min", "scale_max").get(pk=study.pk)
    if (low, high) == before:
        return ""
    points = high - low + 1
    if points > MOST_POINTS:
        return (
            f"{points} points are too many for one row: use up to {MOST_POINTS}, or"
            " choose the slider for a question."
        )
    shared = study.aspects.filter(kind=Aspect.Kind.POINTS, scale_min=None)
    if _are_rated(shared):
        return f"There are ratings from {before[0]} to {before[1]}: the scale stays."
    if any(not _fits(study, aspect.key, range(low, high + 1)) for aspect in shared):
        return OUTSIDE
    return ""


def why_no_other(aspect: Aspect) -> str:
    """Why a saved question cannot change to its new scale; empty where it can."""
    before = Aspect.objects.select_related("study").get(pk=aspect.pk)
    scale, old = aspect.scale, before.scale
    if scale == old:
        return ""
    if aspect.has_own_scale or before.has_own_scale:
        if _are_rated([aspect]):
            return f"It has ratings from {old[0]} to {old[-1]}: its scale stays."
        if not _fits(aspect.study, aspect.key, scale):
            return OUTSIDE
    return ""  # the study's own scale changes: `why_no_scale` says


def _are_rated(aspects: Iterable[Aspect]) -> bool:
    rated = Annotation.objects.filter(aspect__in=aspects)
    return rated.exists() or ImportedMean.objects.filter(aspect__in=aspects).exists()


def _fits(study: Study, key: str, scale: range) -> bool:
    """Whether the scale has every answer that the practice page expects."""
    return all(low in scale and high in scale for low, high in _expected(study, key))


def _expected(study: Study, key: str) -> Iterator[tuple[int, int]]:
    texts = PracticeText.objects.filter(practice__study=study)
    for expected in texts.values_list("expected", flat=True):
        if key in expected:
            low, high = expected[key]
            yield low, high
