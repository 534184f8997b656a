"""A study as one file with which anyone can compute its numbers again."""
