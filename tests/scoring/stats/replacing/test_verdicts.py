from __future__ import annotations

from scoring.stats.replacing import verdicts
from scoring.stats.replacing.verdicts import Facts


def one(name: str = "CTRLEval", wins: int = 6, of: int = 8, **facts) -> Facts:
    given = {"passes": 2 * wins >= of > 0, "published": False, "advantage": 0.7}
    return Facts(name, of, wins, **{**given, **facts})


def said(metrics, trivial=(), epsilon=0.1, reason="", todo="") -> str:
    return verdicts.sentence("Coherence", epsilon, metrics, trivial, reason, todo)


def test_a_metric_that_wins_against_half_of_the_raters_may_replace_one():
    assert said([one()], [one("counting words", 0)]) == (
        "You may let CTRLEval replace a crowdworker for coherence, on texts like these:"
        " it comes about as close to the other raters as 6 of 8 raters do."
    )
    assert "as each of the 8 raters does." in said([one(wins=8)])
    assert "as the one rater tested does." in said([one(wins=1, of=1)])


def test_where_several_were_tried_it_says_that_one_may_pass_by_luck():
    assert said([one(), one("BLEU", 0)]).endswith(
        "2 metrics were tried, and the more you try, the more likely it is that one"
        " passes by luck: the test is not corrected for that."
    )
    assert "luck" not in said([one(), one("BLEU", 0, 0)])


def test_a_judge_that_may_cost_money_is_named_so():
    assert said([one(asked=True)]).endswith("which may cost money for each text.")
    assert "money" not in said([one(wins=0, asked=True)])


def test_nothing_may_where_a_constant_does_as_well():
    trivial = [one("always answering 3.4, the mean,", 5)]
    assert said([one()], trivial) == (
        "Do not let CTRLEval replace a crowdworker for coherence: it passes the test,"
        " but so does always answering 3.4, the mean, so passing proves nothing here."
    )
    assert said([one(), one("BLEU", 0)], trivial) == (
        "Do not let any of the 2 metrics replace a crowdworker for coherence: CTRLEval"
        " passes the test, but so does always answering 3.4, the mean, so passing"
        " proves nothing here."
    )
    assert verdicts.codes([one()], trivial) == ["trivial"]


def test_a_trivial_predictor_that_passes_as_published_is_enough():
    trivial = [one("counting words", 0, published=True)]
    assert verdicts.codes([one()], trivial) == ["trivial"]


def test_a_metric_that_wins_against_few_may_not():
    assert said([one(wins=3)]) == (
        "Do not let CTRLEval replace a crowdworker for coherence: it comes about as"
        " close to the other raters as 3 of 8 raters do, but it has to match at least"
        " half of the raters."
    )
    assert "as 1 of 8 raters does, but it" in said([one(wins=1)])
    assert verdicts.codes([one(wins=3)], []) == ["fails"]


def test_of_several_that_fail_the_best_is_named():
    assert said([one(wins=0), one("BLEU", 3)]).startswith(
        "Do not let any of the 2 metrics replace a crowdworker for coherence: the best,"
        " BLEU, comes about as close"
    )


def test_a_metric_that_wins_against_nobody_is_told_so():
    assert said([one(wins=0)]).endswith(
        "it has not been shown to come as close to the other raters as any of the 8"
        " raters does."
    )
    assert said([one(wins=0, of=1)]).endswith("as the one rater tested does.")


def test_where_more_texts_may_help_it_says_yet():
    found = said([one(wins=3, open=2)])
    assert found.startswith("Do not let CTRLEval replace a crowdworker for coherence y")
    assert found.endswith(
        "It may match 2 more raters, but there are too few texts to be sure: with more"
        " rated texts, the answer may change."
    )
    assert "coherence: it" in said([one(wins=0, open=1)])
    assert "It may match 1 rater, but" in said([one(wins=0, open=1)])


def test_raters_who_could_not_be_tested_are_counted_as_no_win_and_named():
    found = said([one(wins=3, refused=2)])
    assert found.endswith(
        "2 raters rated texts of fewer than 5 prompts: too few to test."
    )
    assert said([one(wins=0, refused=1)]).endswith(
        "1 rater rated texts of fewer than 5 prompts: too few to test."
    )


def test_where_all_metrics_fail_a_trivial_predictor_that_passes_is_named():
    trivial = [one("always answering 4", 8)]
    assert said([one(wins=1)], trivial).endswith(
        "it does not pass the test, although always answering 4 does."
    )
    assert said([one(wins=1)] * 2, trivial).endswith(
        "none passes the test, although always answering 4 does."
    )


def test_others_that_pass_are_counted():
    assert "1 other metric passes, too. 2 metrics were" in said([one(), one("BLEU", 5)])
    assert "2 other metrics pass, too." in said([one()] * 3)


def test_it_speaks_of_the_one_that_wins_most_then_of_the_highest_advantage():
    facts = [one("a", 1), one("b", 6, advantage=0.2), one("c", 6), one("d", 0, 0)]
    assert verdicts.lead(facts) == 2
    assert verdicts.lead([one(of=0, wins=0)]) is None


def test_without_raters_it_says_why_and_what_to_do():
    few = [one(of=0, wins=0)]
    assert said(few, reason="no text is rated", todo="Ask two people.") == (
        "You cannot tell yet whether a metric may replace a crowdworker for coherence:"
        " no text is rated. Ask two people."
    )


def test_epsilon_says_who_is_replaced():
    words = [verdicts.rater_of(epsilon) for epsilon in (0.1, 0.15, 0.2, 0.3)]
    assert words == ["a crowdworker", "a skilled rater", "an expert", "a rater"]


def test_each_code_has_its_words():
    assert len({verdicts.words(code) for code in ("none", "replaces", "trivial")}) == 3
