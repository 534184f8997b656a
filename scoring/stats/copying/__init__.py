"""Do raters copy the answers of a judge?

`honest.py` says how an honest rater answers a text, given the other people and the
judge, `testing.py` holds every rater against that, and `held.py` does so in a study.
"""
