"""Texts of a system together, and human texts."""
