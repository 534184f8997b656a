import json

from scoring.stats.estimates import Estimate, number

SHARE = Estimate(0.25, 0.125, 0.5, 40, None, "share|n:40")


def test_another_scale_moves_a_number_and_its_limits_and_nothing_else():
    percent = SHARE.transformed(lambda part: 100 * part)
    assert percent == Estimate(25.0, 12.5, 50.0, 40, None, "share|n:40")


def test_the_other_sign_exchanges_the_limits():
    assert SHARE.negated() == Estimate(-0.25, -0.5, -0.125, 40, None, "share|n:40")
    assert SHARE.negated().negated() == SHARE


def test_what_does_not_exist_has_no_other_scale_and_no_sign():
    none = Estimate(None, n=2, reason="one text only")
    assert none.negated() == none == none.transformed(lambda part: 1 / 0)


def test_stored_numbers_have_their_keys_in_one_order():
    assert json.dumps(number(Estimate(0.5, n=3, reason="few"))) == (
        '{"value": 0.5, "low": null, "high": null, "reason": "few", "n": 3,'
        ' "signature": ""}'
    )
