"""Simulated workers: a dry run through the functions that real ones use."""

from annotation.quality.rater_kinds import NAMES
from annotation.simulation.simulating import SimulationError, simulate

__all__ = ["NAMES", "SimulationError", "simulate"]
