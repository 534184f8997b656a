"""Metrics that are trained."""
