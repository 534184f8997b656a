"""Judges over the network: what a run may spend, what was answered, who is let through.

| file | |
| --- | --- |
| `desks.py` | a client or a scorer for a run or a trial |
| `spending.py` | the limit that somebody agreed to: money is held before each call |
| `keeping.py` | each call is a row; answers are used again |
| `allowing.py` | calls and tokens per minute, for all workers together |
| `estimating.py`, `forms.py`, `api.py` | what it will take, and who agrees to that |
| `telling.py` | what was asked so far, and what went wrong |
| `identities.py` | who answers under a name, and since when it is somebody else |
| `trials.py`, `reporting.py` | a judge is asked more than for scores |
| `pairs.py` | which pairs of texts it compares, in both orders, and what that shows |
| `voting.py` | its verdicts as the votes of one voter, apart from those of people |
| `showing.py`, `pair_sections.py` | trials as pages show them |
"""
