"""May a metric be used instead of people? The floor, the ceiling, and the sentence.

`surface.py` counts surface features of a text. `floor.py` makes predictors
that cannot know quality (sentinels), `ceiling.py` what one rater reaches, `between.py`
holds each metric against both, and `verdicts.py` has the rules and the words.
"""
