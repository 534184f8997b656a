"""What chance does to a number: its mean and spread over seeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Spread(NamedTuple):
    """Over the last axis of an array, without its gaps."""

    mean: np.ndarray  # NaN = no value at all
    std: np.ndarray  # NaN = fewer than two values
    n: np.ndarray  # int: how many there are


def spread(values: np.ndarray) -> Spread:
    """Mean and standard deviation over seeds, the last axis.

    mean = sum x / n, std = sqrt(sum (x - mean)^2 / (n - 1)) over the n values that are
    there: seeds are a sample of all that might have been drawn.

    Args:
        values: Any shape (..., seeds). NaN = no value, or fewer seeds than others have.

    Returns:
        Three arrays of the shape (...).

    >>> spread(np.array([[1.0, 2.0, 3.0], [5.0, np.nan, np.nan]]))
    Spread(mean=array([2., 5.]), std=array([ 1., nan]), n=array([3, 1]))
    """
    there = ~np.isnan(values)
    n = there.sum(axis=-1)
    mean = _divided(np.where(there, values, 0).sum(axis=-1), n)
    apart = np.where(there, values - mean[..., np.newaxis], 0)
    variance = _divided((apart**2).sum(axis=-1), n - 1)
    return Spread(mean, np.sqrt(variance), n)


def _divided(total: np.ndarray, n: np.ndarray) -> np.ndarray:
    return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
