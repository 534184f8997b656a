"""A study as one file with which somebody else computes its numbers again."""
