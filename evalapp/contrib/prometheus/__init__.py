"""Figures of a running site for Prometheus."""
