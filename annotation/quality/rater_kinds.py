"""How people rate: what quality control is planned with and simulations consist of."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.surveys.estimating import CHARACTERS_PER_WORD

TEXT_SPREAD = 0.5  # how much one system's texts differ, in points of a 1-5 scale
PAGE_SPREAD = (0.75, 1.35)  # a page takes so much of a worker's usual time


@dataclass(frozen=True)
class Kind:
    """How a worker who reads rates; numbers are points of a 1-5 scale."""

    bias: float  # spread of how strict workers of this kind are
    noise: float  # spread of one answer
    drop: float  # how much lower the negative seems, on the aspects that it hurts
    contrast: float = 1.0  # share of the differences within a page that is noticed


KINDS = {
    "careful": Kind(bias=0.3, noise=0.5, drop=2.0),
    "noisy": Kind(bias=0.5, noise=1.1, drop=1.2),
    # Reads the first lines: so all texts seem nearly the same.
    "lazy": Kind(bias=0.4, noise=0.5, drop=0.4, contrast=0.3),
}

# On pairs, how far apart two texts must seem for one to be called better, and much
# better, in points of a 1-5 scale.
NOTICED, MUCH = 0.5, 1.5

RANDOM, STRAIGHT, CARELESS = "random", "straight-lining", "careless"
PATIENT, CLICKER = "patient-straight", "fast-clicker"
# These read nothing: the share of their pages that get one answer everywhere, while the
# others are answered by chance.
BLIND = {RANDOM: 0.0, CLICKER: 0.0, STRAIGHT: 1.0, PATIENT: 1.0, CARELESS: 0.3}
NAMES = (*KINDS, *BLIND)

# Words a minute. Adults read English non-fiction at 238 silently, most of them at 175
# to 300 (Brysbaert 2019, a meta-analysis of 190 studies), fiction at 260. Skimming is
# 450 (Carver 1992). Workers who read nothing may still keep the page open that long.
READING, FICTION, SKIMMING, CLICKING = 238, 260, 450, 2000
WORDS_PER_MINUTE = {
    "careful": READING,
    "noisy": FICTION,
    "lazy": SKIMMING,
    RANDOM: READING,
    CARELESS: READING,
    PATIENT: READING,
    STRAIGHT: SKIMMING,
    CLICKER: CLICKING,
}
# Between people, of the logarithm: nine in ten lie between 171 and 331 where the median
# is 238, a little wider than what Brysbaert reports.
SPEED_SPREAD = 0.2


def characters_per_second(kind: str) -> float:
    """At which half of the workers of a kind are slower."""
    return WORDS_PER_MINUTE[kind] * CHARACTERS_PER_WORD / 60
