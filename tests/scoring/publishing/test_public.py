"""What one person said is never told without leave, nor under the person's name."""

from dataclasses import fields

from scoring.publishing import public
from scoring.replication import rater_codes
from scoring.stats import folder
from tests.scoring import made

# Raters of these are judges over the network.
OF_JUDGES = {"judge_votes"}


def test_all_tables_with_raters_are_left_out_and_coded():
    named = {
        name
        for name, kind in folder.TABLES.items()
        if "rater" in {field.name for field in fields(kind)}
    } - OF_JUDGES
    assert set(public.SINGLE) == set(rater_codes.RATERS) == named


def test_marks_of_people_are_left_out_and_those_of_metrics_stay():
    data = made.with_marks(made.data())
    told = public.without_single(data)
    assert len(told.error_marks) == 0
    assert len(told.metric_marks) == len(data.metric_marks) > 0


def test_marks_carry_codes_in_place_of_names():
    data = made.with_marks(made.data())
    codes = rater_codes.of_all(data)
    coded = rater_codes.coded(data, codes)
    assert set(coded.error_marks.rater.tolist()) == {"r1", "r2", "r3"}
    assert set(coded.metric_marks.metric.tolist()) == {"good", "bad"}
