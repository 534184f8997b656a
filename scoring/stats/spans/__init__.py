"""Marks of errors in texts: what they cost, and how far people and metrics agree.

`marks` says what a mark is. `matching` pairs the marks of two judges (mpp);
`characters` compares them character by character (WMT25). `f_scores` gives the F of a
metric with people and of people with each other, `floors` what a guess reaches,
`unit_alpha` the agreement of many people beyond chance. `files/` reads marks that
others have published. What marks cost is in `scoring.penalties`.
"""
