import numpy as np

from scoring.metrics import Example
from scoring.metrics._engine.rows import by_slabs, padded


def test_rows_of_unequal_length_end_in_nan():
    found = padded([np.array([1.0, 2.0]), "no reason", np.array([3.0]), None])
    np.testing.assert_equal(found, [[1, 2], [np.nan] * 2, [3, np.nan], [np.nan] * 2])
    assert padded([]).shape == (0, 0)


def test_slabs_give_numbers_or_reasons_in_the_order_of_the_texts():
    sizes = []

    def scored(some, meter):
        sizes.append(len(some))
        return [len(one.text) or "it is empty" for one in some]

    texts = [Example("a"), Example(""), Example("abc")]
    found = by_slabs("letters", texts, None, scored, size=2)
    np.testing.assert_equal(found.values["letters"], [1, np.nan, 3])
    assert found.reasons["letters"] == [None, "it is empty", None]
    assert sizes == [2, 1]
