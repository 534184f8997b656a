"""Sentences of at most 25 words and two numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from scoring.stats.answer import forecast, sentences
from scoring.stats.answer.chips import CHIPS
from scoring.stats.answer.contributions import Contrast
from scoring.stats.answer.evidence import Evidence, Measure
from scoring.stats.answer.question import Question
from scoring.stats.answer.sentences import Verdict

GAP = Contrast(0.1, 0.05, 0.0, 0.2, 0.03, 0.97)
EVIDENCE = Evidence(
    metric=0.66,
    rater=0.52,
    guesses={"length": 0.2, "surface": 0.22, "chance": 0.0},
    n_prompts=40,
    n_texts=160,
    beats={"length": GAP, "surface": GAP, "chance": GAP},
    rater_gap=GAP,
    keeps=GAP,
    little={"length": GAP, "surface": GAP, "chance": GAP},
)
PICK = (np.arange(2), np.arange(2), np.arange(2))
QUESTION = Question(
    "open", Measure("pearson", np.arange(40)), (PICK,), 40, rater=0.52, unclear=False,
    rater_beats=True,
)  # fmt: skip


def verdict(chip: str, **facts) -> Verdict:
    return Verdict("Your judge", chip, EVIDENCE, **facts)


def say(chip: str, question: Question = QUESTION, **facts) -> str:
    return sentences.sentence("Coherence", question, [verdict(chip, **facts)])


def every_sentence() -> list[str]:
    questions = [
        QUESTION,
        replace(QUESTION, picks=(), unclear=True, rater_beats=None),
        replace(QUESTION, unclear=True, rater_beats=False),
    ]
    chips = [chip for chip in CHIPS if chip != "hardly"]  # of a question, not a metric
    facts = {"more": 60, "why_none": "it gives all texts the same score"}
    found = [say(chip, q, **facts) for chip in chips for q in questions]
    found += [say("unclear"), say("beats")]
    for state in ("none", "few", "hardly"):
        question = replace(QUESTION, state=state, n_prompts=7)
        found += [say("none", question), say("none", replace(question, rated=False))]
        found += sentences.notes("Coherence", question, None)
        mended = replace(question, raters=(4, 9))
        found += sentences.notes("Coherence", mended, None)
    systems = replace(QUESTION, within_systems=True, system=0.86, system_rater=0.75)
    found += sentences.notes("Coherence", systems, verdict("beats", late=True))
    found += [sentences.more_words(verdict("beats", more=n)) for n in (None, 40)]
    found += [sentences.sentence("Coherence", QUESTION, [])]
    return [sentence for sentence in found if sentence]


@pytest.mark.parametrize("sentence", sorted(set(every_sentence())))
def test_a_sentence_has_at_most_25_words_and_two_numbers(sentence):
    words = [word for word in sentence.split() if re.search(r"\w", word)]
    assert len(words) <= 25
    # 85 % and "at least 10" are what is claimed, not measured.
    measured = re.findall(r"\d+\.\d+|(?<!least )\b\d[\d,]*\b(?! %)", sentence)
    assert len(measured) <= 2
    assert sentence[0].isupper() and sentence.endswith(".")


def test_it_names_both_numbers_with_the_same_targets():
    assert say("better") == (
        "Your judge agrees with people on coherence better than one rater does (0.66"
        " and 0.52)."
    )


def test_a_minus_is_a_minus():
    assert sentences.number(-0.04) == "−0.04"
    assert sentences.number(-0.004) == "0.00"


@pytest.mark.parametrize(
    ("chips", "leads"),
    [
        (("little", "beats"), 1),
        (("better", "like"), 0),
        (("below", "beats"), 1),
        (("unclear", "worse"), 0),
    ],
)
def test_it_speaks_of_the_metric_of_which_most_may_be_claimed(chips, leads):
    assert sentences.lead([verdict(chip) for chip in chips]) == leads


def test_a_chosen_metric_is_spoken_of_whatever_is_claimed_of_it():
    chosen = verdict("little", starred=True)
    assert sentences.lead([verdict("better"), chosen]) == 1


class TestForecast:
    """How many more prompts would decide."""

    def more(self, chip: str = "unclear", tests: int = 1, **gap) -> int | None:
        of = GAP._replace(**gap)
        evidence = replace(EVIDENCE, beats={"length": of}, little={})
        evidence = replace(evidence, rater_gap=of, keeps=of._replace(value=-0.1))
        return forecast.prompts_more(chip, evidence, tests)

    def test_it_has_one_digit(self):
        # 40 ((1.95996 + 0.84162) 0.05 / 0.06)^2 = 218 in all
        assert self.more(value=0.06) == 200

    def test_it_rises_with_the_number_of_metrics(self):
        assert self.more(value=0.06, tests=20) > 200

    def test_it_is_never_less_than_a_tenth_of_what_there_is(self):
        assert self.more(value=0.139) == 4

    def test_more_than_ten_times_as_many_is_no_forecast(self):
        assert self.more(value=0.01) is None

    def test_a_metric_behind_a_guess_has_none(self):
        assert self.more(value=-0.1) is None

    def test_what_is_decided_has_none(self):
        assert self.more("better") is None and self.more("little") is None

    def test_beside_one_rater_either_side_may_be_decided(self):
        assert self.more("beats", value=-0.06) == 200
