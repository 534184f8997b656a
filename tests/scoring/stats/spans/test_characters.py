import numpy as np
from hypothesis import given

from scoring.stats.spans.characters import wmt25
from scoring.stats.spans.marks import SIDES, Mark
from scoring.stats.spans.matching import scores
from tests.scoring.stats.spans.marked import GOLDEN, LENGTH, golden, some_marks

LEVELS = ("minor", "major")


def one_by_one(predicted, reference, credit):
    """As the shared task's script counts: character by character."""
    right = ours = theirs = 0.0
    for side in SIDES:
        for place in range(LENGTH):
            p, r = (
                [
                    sum(
                        m.severity == level
                        and m.side == side
                        and m.start <= place < m.end
                        for m in marks
                    )
                    for level in LEVELS
                ]
                for marks in (predicted, reference)
            )
            alike = sum(map(min, p, r))
            right += alike + credit * min(sum(p) - alike, sum(r) - alike)
            ours, theirs = ours + sum(p), theirs + sum(r)
    return [right, ours, right, theirs]


@given(some_marks(), some_marks())
def test_characters_are_counted_as_the_shared_task_does(predicted, reference):
    expected = one_by_one(predicted, reference, 0.5)
    assert wmt25(predicted, reference).tolist() == expected


def test_the_authors_of_mpp_find_the_same():
    total = np.zeros(4)
    rows = zip(GOLDEN["predicted"], GOLDEN["reference"], GOLDEN["each"], strict=True)
    for predicted, reference, numbers in rows:
        counts = wmt25(golden(predicted), golden(reference))
        assert np.allclose(scores(counts), numbers["wmt25"], atol=1e-9)
        total += counts
    assert np.allclose(scores(total), GOLDEN["together"]["wmt25"], atol=1e-9)


def test_the_credit_for_unlike_severities_can_be_chosen():
    minor, major = (Mark(0, 4, severity="minor"),), (Mark(0, 4, severity="major"),)
    assert wmt25(minor, major, credit=0).tolist() == [0, 4, 0, 4]
    assert wmt25(minor, major, credit=1).tolist() == [4, 4, 4, 4]
