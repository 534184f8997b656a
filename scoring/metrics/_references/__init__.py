"""Texts compared with references."""
