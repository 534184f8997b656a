"""May a metric replace a rater? The alternative annotator test (Calderon et al. 2025).

Each rater is left out in turn: does the metric come as close to the other raters as the
rater does? `closeness.py` compares the two text by text, `published.py` tests the
difference as the paper does, `clustered.py` by whole prompts, `scales.py` brings scores
to the scale of a question, `certainty.py` asks where a metric comes close, and
`verdicts.py` has the rules and the words.
"""
