from __future__ import annotations

import pytest

from scoring.stats.components.coefficients import coefficients
from tests.scoring.stats.components.brennan import FOUR, ONE, THREE


def of(example, last, sizes):
    name, facets = last
    effects = {**example.effects, name: facets}
    variances = {**example.printed, name: example.residual}
    return coefficients(variances, effects, measured="p", sizes=sizes)


# Brennan (2001), as GeneralizIT quotes him.
def test_one_facet_as_printed():
    found = of(ONE, ("pi", ("p", "i")), {"i": 12})
    assert (round(found.g, 3), round(found.phi, 3)) == (0.844, 0.773)


def test_two_crossed_facets_as_printed():
    found = of(THREE, ("pio", ("p", "i", "o")), {"i": 4, "o": 2})
    assert (round(found.g, 2), round(found.phi, 2)) == (0.64, 0.55)


def test_a_nested_facet_as_printed():
    effects = {**FOUR.effects, "r:t": ("r", "t")}
    found = of(
        FOUR._replace(effects=effects), ("pr:t", ("p", "r", "t")), dict(r=4, t=3)
    )
    assert (round(found.g, 2), round(found.phi, 2)) == (0.55, 0.46)


def test_an_estimate_below_0_counts_as_0():
    facets = {"p": ("p",), "pi": ("p", "i")}
    found = coefficients({"p": -1, "pi": 1}, facets, measured="p", sizes={"i": 2})
    assert (found.object, found.g) == (0, 0)


def test_a_facet_without_a_size_is_refused():
    facets = {"p": ("p",), "pi": ("p", "i")}
    with pytest.raises(ValueError, match="a size above 0 of i, which pi varies over"):
        coefficients({"p": 1, "pi": 1}, facets, measured="p", sizes={})


def test_an_effect_without_facets_is_refused():
    with pytest.raises(ValueError, match="expected the facets of pi"):
        coefficients({"pi": 1}, {"p": ("p",)}, measured="p", sizes={})
