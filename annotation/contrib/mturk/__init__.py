"""A study in a frame on Mechanical Turk."""
