"""A study's own evaluators."""
