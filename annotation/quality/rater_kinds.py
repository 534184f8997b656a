"""How people rate: what quality control is planned with and simulations consist of."""

from __future__ import annotations

from dataclasses import dataclass

TEXT_SPREAD = 0.5  # how much one system's texts differ, in points of a 1-5 scale


@dataclass(frozen=True)
class Kind:
    """How a worker who reads rates; numbers are points of a 1-5 scale."""

    bias: float  # spread of how strict workers of this kind are
    noise: float  # spread of one answer
    drop: float  # how much lower the negative seems, on the aspects that it hurts
    contrast: float = 1.0  # share of the differences within a page that is noticed
    speed: float = 20.0  # characters a second


KINDS = {
    "careful": Kind(bias=0.3, noise=0.5, drop=2.0),
    "noisy": Kind(bias=0.5, noise=1.1, drop=1.2, speed=25.0),
    # Reads the first lines: so all texts seem nearly the same.
    "lazy": Kind(bias=0.4, noise=0.5, drop=0.4, contrast=0.3, speed=45.0),
}
