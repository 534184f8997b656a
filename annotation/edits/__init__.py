"""Texts that workers correct: how many words they changed."""
