"""Researchers' own accounts: their password, and tokens for programs."""
