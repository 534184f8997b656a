"""Judges behind addresses: what they may cost, what was asked, and trials of them."""
