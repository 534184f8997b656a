"""Generalizability: how far a design can be relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Coefficients(NamedTuple):
    """Error variances of a design, and the share that is not error."""

    object: float  # variance of what is measured
    relative: float  # of differences between objects
    absolute: float  # of their means as they are
    g: float | None  # E rho^2, for ranks and differences; None without variance
    phi: float | None  # for the means as they are


def coefficients(
    variances: Mapping[str, float],
    facets: Mapping[str, Sequence[str]],
    *,
    measured: str,
    sizes: Mapping[str, float],
) -> Coefficients:
    """Find G and Phi of a design in which every facet is random.

    With tau what is measured, and each other effect divided by the product of the sizes
    of its facets besides tau:
    sigma^2(delta) = sum of those that contain tau, sigma^2(Delta) = sum of all,
    E rho^2 = sigma^2(tau) / (sigma^2(tau) + sigma^2(delta)),
    Phi = sigma^2(tau) / (sigma^2(tau) + sigma^2(Delta)) (Brennan 2001,
    "Generalizability Theory", Springer). Estimates below 0 count as 0.

    Args:
        variances: By effect.
        facets: By effect, the facets it consists of, those it is nested in included.
        measured: The facet that is the object of measurement.
        sizes: Of each other facet in the design, within what it is nested in.

    Raises:
        ValueError: If an effect has no facets or a facet no size, or it is not above 0.
    """
    own = relative = absolute = 0.0
    for name, variance in variances.items():
        if name not in facets:
            raise ValueError(f"expected the facets of {name}, got those of {[*facets]}")
        share = max(variance, 0.0)
        if set(facets[name]) == {measured}:
            own = share
            continue
        share /= _product(name, [f for f in facets[name] if f != measured], sizes)
        absolute += share
        relative += share if measured in facets[name] else 0.0
    return Coefficients(
        own, relative, absolute, _share(own, relative), _share(own, absolute)
    )


def _product(name: str, facets: Sequence[str], sizes: Mapping[str, float]) -> float:
    product = 1.0
    for facet in facets:
        if not sizes.get(facet, 0) > 0:
            raise ValueError(
                f"expected a size above 0 of {facet}, which {name} varies over,"
                f" got {sizes.get(facet)}"
            )
        product *= sizes[facet]
    return product


def _share(own: float, error: float) -> float | None:
    return own / (own + error) if own + error > 0 else None
