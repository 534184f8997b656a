"""Judges over the network: what a run may spend, what was answered, who is let through.

| file | |
| --- | --- |
| `desks.py` | a client or a scorer for a run or a trial |
| `spending.py` | the limit that somebody agreed to: money is held before each call |
| `keeping.py` | each call is a row; answers are used again |
| `allowing.py` | calls and tokens per minute, for all workers together |
| `kept_answers.py` | how much of it was answered before |
| `estimating.py`, `forms.py`, `api.py` | what it will take, and who agrees to that |
| `trying.py` | whether a server gives log-probabilities of texts, before a run starts |
| `telling.py` | what was asked so far, and what went wrong |
| `identities.py` | who answers under a name, and since when it is somebody else |
| `trials.py`, `reporting.py` | a judge is asked more than for scores |
| `raising.py` | a trial that stopped at its limit goes on |
| `pairs.py` | which pairs of texts it compares, in both orders, and what that shows |
| `voting.py` | its verdicts as the votes of one voter, apart from those of people |
| `steps.py` | evaluation steps, written by a judge once and edited by people |
| `showing.py`, `pair_sections.py` | trials as pages show them |
"""
