"""How strict each rater is, who uses how much of the scale, and what that changes.

`ordinal.py` fits an ordinal mixed model of ratings: systems, texts, raters. `points.py`
says it in points of the scale: each rater's severity, and the score that each system
would get from an average rater. `dawid_skene.py` is a diagnostic beside it: how often
each rater gives the answer that the raters together make most likely.
"""
