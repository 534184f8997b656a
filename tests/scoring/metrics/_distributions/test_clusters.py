"""PCA and k-means: against scikit-learn, and on data with plain clusters."""

import numpy as np
import pytest

from scoring.metrics._distributions import clusters


def rng():
    return np.random.default_rng(0)


def cloud(n=60, d=8):
    """More spread along the first axes, and far from the origin."""
    return rng().normal(size=(n, d)) * np.arange(d, 0, -1) + 100


def test_axes_are_those_of_scikit_learn():
    from sklearn.decomposition import PCA

    rows = cloud()
    pca = PCA(svd_solver="full").fit(rows)
    kept = int((pca.explained_variance_ratio_.cumsum() < 0.9).sum()) + 1
    mean, axes = clusters.reduce(rows)
    assert axes.shape == (kept, 8) and kept < 8
    assert mean == pytest.approx(pca.mean_, abs=1e-4)
    assert np.abs(axes @ pca.components_[:kept].T) == pytest.approx(
        np.eye(kept), abs=1e-4
    )


def test_a_row_that_counts_twice_is_two_rows():
    rows, counts = cloud(20), np.arange(20) % 3 + 1
    mean, axes = clusters.reduce(rows, weights=counts)
    again, repeated = clusters.reduce(rows.repeat(counts, axis=0))
    assert mean == pytest.approx(again, abs=1e-4)
    assert np.abs(axes @ repeated.T) == pytest.approx(np.eye(len(axes)), abs=1e-4)


@pytest.mark.parametrize("rows", [np.zeros((3, 4)), np.ones((1, 4))])
def test_where_nothing_varies_one_axis_is_left(rows):
    mean, axes = clusters.reduce(rows)
    assert axes.shape == (1, 4) and np.isfinite(axes).all()
    assert len(clusters.learn(rows, 1, rng=rng()).labels) == len(rows)


def test_plain_groups_are_found_and_new_rows_fall_into_them():
    centres = np.array([[0, 0, 9], [0, 9, 0], [9, 0, 0]])
    truth = np.arange(30) % 3
    rows = centres[truth] + rng().normal(size=(30, 3))
    found = clusters.learn(rows, 3, rng=rng())
    pairs = set(zip(found.labels.tolist(), truth.tolist(), strict=True))
    assert len(pairs) == 3  # a label for each group, and a group for each label
    assert np.array_equal(found.assign(rows), found.labels)
    assert np.array_equal(found.assign(centres[truth]), found.labels)


def test_length_means_nothing_where_rows_are_normalised():
    directions = np.array([[1.0, 0], [0, 1.0]])[np.arange(20) % 2]
    rows = directions * rng().uniform(0.1, 50, size=(20, 1))
    found = clusters.learn(rows, 2, rng=rng(), normalise=True)
    assert len(set(found.labels[::2])) == len(set(found.labels[1::2])) == 1
    assert np.array_equal(found.assign(rows * 7), found.labels)
    assert clusters.unit(np.zeros((1, 2))).tolist() == [[0, 0]]


def test_the_same_seed_gives_the_same_clusters():
    rows = rng().normal(size=(200, 5))
    once, twice = (clusters.learn(rows, 20, rng=rng()) for _ in range(2))
    other = clusters.learn(rows, 20, rng=np.random.default_rng(1))
    assert np.array_equal(once.labels, twice.labels)
    assert not np.array_equal(once.labels, other.labels)


def test_more_starts_do_not_end_worse():
    rows = rng().normal(size=(200, 5)).astype(np.float32)

    def squares(starts):
        labels, centres = clusters.group(rows, 20, rng=rng(), starts=starts)
        return ((rows - centres[labels]) ** 2).sum()

    assert squares(5) < squares(1)


@pytest.mark.parametrize("k", [0, 4])
def test_there_is_a_row_for_each_cluster(k):
    with pytest.raises(ValueError, match="expected from 1 to 3 clusters"):
        clusters.learn(np.eye(3), k, rng=rng())


def test_equal_rows_leave_clusters_empty(recwarn):
    found = clusters.learn(np.ones((5, 2)), 3, rng=rng())
    assert len(set(found.labels.tolist())) == 1 and not recwarn.list
