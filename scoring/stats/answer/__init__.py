"""May a metric be used instead of people? Rules about the question, then about metrics.

`question.py` says whether metrics can be judged at all. `floor.py` makes guesses that
cannot know quality from what `surface.py` counts; `ceiling.py` takes one rater after
the other away. `contributions.py` has what each prompt contributes to the agreement of
raters, guesses and metrics on the same texts, `evidence.py` a metric beside the others,
`chips.py` what may be claimed of it, with the margins of `margins.py`, `forecast.py`
how many more prompts would decide, and `sentences.py` the words.
"""
