"""Texts that workers correct: how much they changed, and what is kept of it."""
