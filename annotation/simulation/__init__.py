"""Simulated workers: a dry run through the functions that real ones use."""

from annotation.simulation.simulating import NAMES, SimulationError, simulate

__all__ = ["NAMES", "SimulationError", "simulate"]
