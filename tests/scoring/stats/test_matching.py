import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.matching import matched

TEXTS = st.lists(
    st.tuples(st.sampled_from(["real", "synthetic", "neither"]), st.integers(0, 3)),
    max_size=12,
)


def pairs(texts, **more):
    kinds = np.array([kind for kind, _ in texts], "U9")
    group = np.array([group for _, group in texts], int)
    return matched(
        kinds == "real",
        kinds == "synthetic",
        group,
        rng=np.random.default_rng(0),
        **more,
    )


@given(texts=TEXTS)
def test_all_pairs_of_a_group_are_found_and_no_others(texts):
    i, j, total = pairs(texts)
    expected = {
        (a, b)
        for a, (kind, group) in enumerate(texts)
        for b, (other, its) in enumerate(texts)
        if (kind, other) == ("real", "synthetic") and group == its
    }
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == expected
    assert total == len(i) == len(expected)


def test_of_too_many_some_are_drawn():
    texts = [("real", 0)] * 400 + [("synthetic", 0)] * 500 + [("real", 1)] * 5
    i, j, total = pairs(texts, most=1000)
    assert total == 200_000 and 950 < len(i) <= 1000
    assert i.max() < 400 and (j >= 400).all() and len(set(i.tolist())) > 300


def test_groups_may_be_words():
    i, j, total = matched(
        np.array([True, False, True]),
        np.array([False, True, False]),
        np.array(["x", "x", "y"]),
        rng=np.random.default_rng(0),
    )
    assert (i.tolist(), j.tolist(), total) == ([0], [1], 1)
