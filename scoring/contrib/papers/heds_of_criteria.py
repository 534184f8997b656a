"""Answers to section 4 of the Human Evaluation Datasheet, on one question. Pure."""

from __future__ import annotations

from scoring.publishing.facts import Aspect, Facts
from scoring.publishing.markdown import number

# What the standard questions of EvalApp assess. Of other questions people must say it.
STANDARD = {
    "coherence": ("Goodness", "Both form and content of output", "in its own right"),
    "consistency": ("Correctness", "Content of output", "relative to the input"),
    "attribute-relevance": ("Feature", "Content of output", "relative to the input"),
    "overall": ("Goodness", "Both form and content of output", "in its own right"),
}
NO_INTRA = "IntraAA not assessed"
NO_INTER = "InterAA not assessed"


def answers(facts: Facts, aspect: Aspect) -> dict[str, str]:
    """By number; those that are not known are left out."""
    return {
        **_quality(aspect),
        **_mode(facts),
        **_scale(aspect),
        **_processing(facts, aspect),
        **_agreement(aspect),
    }


def _quality(aspect: Aspect) -> dict[str, str]:
    told = STANDARD.get(aspect.key) if aspect.standard else None
    if told is None:
        return {}
    kind, of, frame = told
    return {"4.1.1": kind, "4.1.2": of, "4.1.3": f"Quality of output {frame}"}


def _mode(facts: Facts) -> dict[str, str]:
    relative = facts.protocol.pairs
    rated = "Direct quality estimation: a rating of each text."
    compared = "Relative quality estimation: which of two texts is better."
    return {
        "4.2.1": "Subjective",
        "4.2.2": "Absolute and relative" if relative else "Absolute",
        "4.2.3": "Intrinsic",
        "4.3.8": f"{rated} {compared}" if relative else rated,
    }


def _scale(aspect: Aspect) -> dict[str, str]:
    words = "; ".join(f"{at} = {said}" for at, said in aspect.labels.items())
    slider = aspect.kind == "slider"
    values = f"{aspect.low} to {aspect.high}, whole numbers"
    declined = "; or “cannot say”" if aspect.cannot_say else ""
    return {
        "4.3.1.1": aspect.title,
        "4.3.2": words or "no definition given",
        "4.3.3": str(aspect.high - aspect.low + 1),
        "4.3.4": f"{values}{declined}" + (f". {words}" if words else ""),
        "4.3.5": "Slider" if slider else "Multiple-choice options",
        "4.3.6": "N/A: there is a scale.",
        "4.3.7": aspect.question,
    }


def _processing(facts: Facts, aspect: Aspect) -> dict[str, str]:
    better = "" if aspect.higher_is_better else " A lower mean is a better one."
    outputs = {one.metric for one in facts.outputs}
    compared = (
        " Agreement of metrics with people: correlation coefficients with"
        " intervals of t over prompts."
        if outputs
        else ""
    )
    return {
        "4.3.9": (
            "The score of a text is the mean of its ratings that count; that of a"
            f" system is the mean over its texts.{better}"
        ),
        "4.3.10": (
            "Differences of means between systems with 95 % intervals and tests of t"
            " over prompts (CR2), with p-values after Holm."
            f"{compared}"
        ),
    }


def _agreement(aspect: Aspect) -> dict[str, str]:
    alpha = aspect.alpha
    told = {"4.3.12.1": NO_INTRA, "4.3.12.2": NO_INTRA}
    if alpha.value is None:
        return {**told, "4.3.11.1": NO_INTER, "4.3.11.2": NO_INTER}
    ends = ""
    if alpha.low is not None and alpha.high is not None:
        ends = f", 95 % interval {number(alpha.low)} to {number(alpha.high)}"
    method = f"Krippendorff's alpha, {aspect.level}"
    return {
        **told,
        "4.3.11.1": method,
        "4.3.11.2": f"{number(alpha.value)}{ends}",
    }
