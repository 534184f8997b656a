from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy import stats

from scoring.stats.answer import rules, verdicts
from scoring.stats.answer.measure import Gap
from scoring.stats.answer.rules import Facts
from scoring.stats.counts import Estimate

NAN = math.nan


def gap(value: float | None, low=None, high=None, p=0.5, se=0.05) -> Gap:
    ends = (None, None) if value is None else (low, high)
    if value is not None and low is None:
        ends = (value - 2 * se, value + 2 * se)
    return Gap(Estimate(value, *ends, None, 100), p, None, se)


BEHIND = gap(-0.03, p=0.6)
AHEAD = gap(0.3, p=0.002)
FACTS = Facts(
    name="CTRLEval: coherence",
    value=0.24,
    floor={"length": 0.27, "chance": 0.0},
    gaps={"length": BEHIND, "chance": gap(0.24, p=0.002)},
    ceiling=None,
    one=None,
    beats=1.0,
    below=1.0,
    apart=NAN,
    family=1,
    prompts=30,
)
GOOD = replace(
    FACTS,
    value=0.57,
    gaps={"length": AHEAD, "chance": gap(0.57, p=0.002)},
    beats=0.002,
    ceiling=gap(-0.02, -0.07, 0.03),
    one=0.6,
    apart=0.6,
)


def code(one: Facts) -> str:
    return verdicts.judge(one).code


def said(*facts: Facts) -> str:
    found = [verdicts.judge(one) for one in facts]
    return verdicts.sentence("Coherence", facts, found)


def test_what_is_no_better_than_counting_words_stays_on_the_floor():
    assert code(FACTS) == "floor"
    assert said(FACTS) == (
        "For coherence, this metric cannot stand in for people, although a study of 30"
        " prompts would probably have shown a gain of 0.3 over counting words (0.27)."
        " CTRLEval: coherence (0.24) is not clearly different from counting words"
        " (0.27)."
    )


def test_without_a_number_nothing_is_said():
    one = replace(FACTS, value=None)
    assert code(one) == "none"
    assert said(one) == "For coherence, no metric has a number yet."
    assert said() == "For coherence, no metric has a number yet."


@pytest.mark.parametrize("change", [{"prompts": 9}, {"beats": NAN}])
def test_few_prompts_are_too_few(change):
    one = replace(FACTS, **change)
    assert code(one) == "few"
    assert "too few texts" in said(one)


def test_nine_prompts_ask_for_one_more():
    found = verdicts.judge(replace(FACTS, prompts=9))
    assert found.more == 1
    assert found.more_words == "Rate texts of at least 1 more prompt."


def test_a_sentinel_may_beat_a_metric():
    gaps = {"system": gap(-0.3, p=0.002), "length": BEHIND}
    one = replace(FACTS, below=0.01, gaps=gaps, floor={"system": 0.54, "length": 0.27})
    assert code(one) == "worse"
    assert (
        "agrees with people less than the mean rating of the system's other texts"
        " (0.54), and is not clearly different from counting words (0.27)." in said(one)
    )


def test_a_small_study_could_have_missed_something():
    noisy = {"length": gap(-0.03, p=0.6, se=0.2)}
    one = replace(FACTS, gaps=noisy)
    assert code(one) == "early"
    assert (
        "it is too early to say whether a metric can stand in for people: a study of 30"
        " prompts like this one could have missed a gain of 0.3 over counting words"
        in said(one)
    )


@pytest.mark.parametrize(
    ("low", "high", "apart", "wanted"),
    [
        (-0.07, 0.03, 0.6, "rater"),
        (-0.10, 0.03, 0.6, "rater"),
        (-0.11, 0.03, 0.6, "open"),
        (-0.4, -0.2, 0.001, "under"),
        (-0.05, -0.01, 0.01, "rater"),  # below, but by little
    ],
)
def test_what_beats_the_floor_is_held_against_one_rater(low, high, apart, wanted):
    middle = (low + high) / 2
    one = replace(GOOD, ceiling=gap(middle, low, high), apart=apart)
    assert code(one) == wanted


def test_better_than_a_rater_needs_a_test():
    ahead = gap(0.1, 0.02, 0.2)
    assert code(replace(GOOD, ceiling=ahead, apart=0.01)) == "above"
    assert code(replace(GOOD, ceiling=ahead, apart=0.2)) == "rater"


def test_without_single_ratings_there_is_no_rater():
    one = replace(GOOD, ceiling=gap(None), one=None)
    assert code(one) == "alone"
    assert "cannot be compared with a single rater" in said(one)


def test_each_good_end_has_its_sentence():
    assert said(GOOD) == (
        "For coherence, CTRLEval: coherence (0.57) agrees with people as well as a"
        " single rater does (0.60)."
    )
    far = replace(GOOD, ceiling=gap(-0.5, -0.6, -0.4), apart=0.001)
    assert said(far).endswith(
        "agrees with people better than counting words (0.27), but far less than a"
        " single rater does (0.60)."
    )


def test_the_sentence_is_about_the_best_that_beats_the_floor():
    higher = replace(FACTS, name="other", value=0.9)  # but not significantly
    assert "CTRLEval: coherence (0.57)" in said(higher, GOOD)


def test_others_that_beat_the_floor_are_counted():
    second = replace(GOOD, value=0.5)
    assert said(GOOD, second).endswith("1 more metric beats every trivial predictor.")
    assert said(GOOD, second, second).endswith(
        "2 more metrics beat every trivial predictor."
    )


def test_far_below_a_person_is_said():
    one = replace(FACTS, ceiling=gap(-0.7, -0.8, -0.6), one=0.85, apart=0.001)
    assert said(one).endswith("A single rater reaches 0.85: the metric is far below.")


def test_a_negative_number_has_a_minus():
    assert "(\N{MINUS SIGN}0.24)" in said(replace(FACTS, value=-0.24))


def test_prompts_needed_are_those_of_a_z_test():
    """Solve (z_a + z_b) se sqrt(30 / n) = d by trying every n."""
    one, reach = gap(0.1, se=0.06), stats.norm.isf(0.025) + stats.norm.ppf(0.8)
    n = 30
    while reach * 0.06 * math.sqrt(30 / n) > 0.1:
        n += 1
    assert rules.needed(one, 30) == n - 30


def test_so_many_prompts_would_have_the_power(rng_draws=20_000):
    """Of simulated differences with the standard error of n prompts, 80 % show."""
    n = 30 + (rules.needed(gap(0.1, se=0.06), 30) or 0)
    se = 0.06 * math.sqrt(30 / n)
    z = stats.norm(0.1, se).rvs(rng_draws, random_state=1) / se
    assert (abs(z) > stats.norm.isf(0.025)).mean() == pytest.approx(0.8, abs=0.02)


def test_more_metrics_take_more_prompts():
    one = gap(0.1, se=0.06)
    assert rules.needed(one, 30, tests=20) > rules.needed(one, 30)


def test_no_difference_is_shown_by_no_number_of_prompts():
    assert rules.needed(gap(0.0), 30) is None
    assert rules.needed(gap(0.0001), 30) is None
    tiny = verdicts.judge(replace(FACTS, gaps={"length": gap(0.0001)}))
    assert tiny.more is None
    assert "more prompts than anybody collects" in tiny.more_words


def test_a_number_of_prompts_is_no_more_exact_than_it_is_known():
    found = verdicts.judge(replace(FACTS, gaps={"length": gap(0.03)}))
    assert found.more > 100
    assert found.more_words.startswith("If the observed difference is real, about ")
    assert f"{float(f'{found.more:.2g}'):,.0f} more prompts" in found.more_words


def test_what_is_decided_needs_no_more_prompts():
    for one in (GOOD, replace(FACTS, below=0.01), FACTS):
        found = verdicts.judge(one)
        assert (found.more, found.more_words) == (None, "")


def test_a_sentinel_that_is_clearly_ahead_leaves_nothing_open():
    """Its p may not hold for a family of many metrics; the sentence says it anyway."""
    one = replace(FACTS, gaps={"system": gap(-0.57, p=0.002)}, floor={"system": 0.8})
    found = verdicts.judge(one)
    assert (found.code, found.more, found.more_words) == ("floor", None, "")


def test_titles_stand_in_a_sentence_as_people_write_them():
    assert verdicts.lower("Coherence of text") == "coherence of text"
    assert verdicts.lower("SF quality") == "SF quality"


def test_every_code_has_words():
    assert all(verdicts._short(code, "length") for code in rules.CODES)


# What the reader is told: of each case the verdict, a part of the sentence, and whether
# more prompts would decide something.
RULED_OUT = gap(-0.2, -0.35, -0.05, p=0.01, se=0.08)
CASES = {
    "a sentinel beats it": (
        replace(FACTS, below=0.01, gaps={"length": RULED_OUT}),
        "Do not use: worse than word count",
        "agrees with people less than counting words (0.27).",
        "",
    ),
    "behind by the interval, not by the adjusted test": (
        replace(FACTS, below=0.2, gaps={"length": RULED_OUT}),
        "Do not use: not better than word count",
        "agrees with people no better than counting words (0.27).",
        "",
    ),
    "behind by the interval, in a small study": (
        replace(FACTS, gaps={"length": gap(-0.6, -1.0, -0.2, p=0.01, se=0.2)}),
        "Do not use: not better than word count",
        "agrees with people no better than counting words (0.27).",
        "",
    ),
    "behind, but not significantly": (
        FACTS,
        "Do not use: not clearly better than word count",
        "would probably have shown a gain of 0.3 over counting words",
        "",
    ),
    "behind in a small study": (
        replace(FACTS, gaps={"length": gap(-0.03, se=0.2)}),
        "Too early to say: not clearly better than word count",
        "could have missed a gain of 0.3 over counting words",
        "would show a gain of 0.3 over counting words (0.27), if there is one.",
    ),
    "ahead, but not significantly": (
        replace(FACTS, gaps={"length": gap(0.05)}),
        "Do not use: not clearly better than word count",
        "is not clearly different from counting words (0.27).",
        "would show that it is better than counting words (0.27).",
    ),
    "ahead by the interval, not by the adjusted test": (
        replace(FACTS, gaps={"length": gap(0.2, 0.1, 0.3, p=0.01)}, family=10),
        "Do not use: not clearly better than word count",
        "is ahead of counting words (0.27), but not clearly when 10 metrics are"
        " compared at once.",
        "would show that it is better than counting words (0.27).",
    ),
    "few prompts": (
        replace(FACTS, prompts=7),
        "Too few texts to say",
        "7 prompts, and at least 10 are needed.",
        "Rate texts of at least 3 more prompts.",
    ),
    "no interval": (
        replace(FACTS, beats=NAN),
        "Too few texts to say",
        "how well CTRLEval: coherence (0.24) agrees with people: it has scored too few"
        " of the rated texts.",
        "",
    ),
    "as good as a rater": (GOOD, "As good as a single rater", "as well as", ""),
    "no rater": (
        replace(GOOD, ceiling=None, one=None),
        "Better than trivial",
        "no single ratings",
        "",
    ),
    "above a rater": (
        replace(GOOD, ceiling=gap(0.1, 0.02, 0.2), apart=0.01),
        "Better than a single rater",
        "better than a single rater does (0.60).",
        "",
    ),
    "below a rater": (
        replace(GOOD, ceiling=gap(-0.3, -0.5, -0.15), apart=0.01),
        "Better than trivial, below a single rater",
        "but clearly less than a single rater does (0.60).",
        "",
    ),
    "below a rater by the interval, not by the adjusted test": (
        replace(GOOD, ceiling=gap(-0.15, -0.3, -0.01), apart=0.2, family=10),
        "Better than trivial, unclear against a single rater",
        "is below a single rater (0.60), but not clearly when 10 metrics",
        "would show it.",
    ),
    "not clearly different from a rater": (
        replace(GOOD, ceiling=gap(-0.1, -0.3, 0.1), apart=0.5),
        "Better than trivial, unclear against a single rater",
        "no clear difference from a single rater (0.60) yet.",
        "would show it.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_table_sentence_and_what_is_open_say_the_same(case):
    one, words, part, more = CASES[case]
    found = verdicts.judge(one)
    assert found.words == words
    assert part in said(one)
    assert found.more_words.endswith(more) and bool(found.more_words) == bool(more)
    assert (found.more is not None) == bool(more)


def test_the_sentinel_that_beats_it_most_surely_is_named():
    gaps = {"prompt": gap(-0.4, -0.9, 0.1, p=0.2), "system": gap(-0.3, p=0.001)}
    one = replace(FACTS, below=0.01, gaps=gaps, floor={"prompt": 0.5, "system": 0.4})
    assert (
        verdicts.judge(one).words == "Do not use: worse than the system's mean rating"
    )
    assert "less than the mean rating of the system's other texts (0.40)" in said(one)


def test_the_highest_is_not_called_best_where_it_is_not_clearly_higher():
    close = ("BLEU (0.23)", "MAUVE (0.20)", "chrF (0.19)")
    second = replace(FACTS, value=0.23)
    start = "The highest of 2 scores, CTRLEval: coherence (0.24),"
    one = replace(FACTS, close=close)
    assert f"{start} is not clearly above BLEU (0.23) or 2 others. It " in said(
        one, second
    )
    one = replace(FACTS, close=close[:1])
    assert f"{start} is not clearly above BLEU (0.23). It " in said(one, second)
    assert f"{start} is not clearly different" in said(FACTS, second)
    assert "best" not in said(one, second)


def test_where_another_metric_is_undecided_nothing_is_settled():
    noisy = replace(FACTS, value=0.1, gaps={"length": gap(-0.1, se=0.2)})
    words = said(replace(FACTS, gaps={"length": RULED_OUT}), noisy)
    assert "none of these metrics can stand in for people so far." in words
    assert words.endswith("For 1 other it is too early to say.")


def test_a_metric_that_cannot_be_judged_does_not_lead():
    few = replace(FACTS, value=0.9, beats=NAN)
    assert "too few" not in said(few, FACTS)
    assert "CTRLEval: coherence (0.24)" in said(few, FACTS)
