"""Judges over the network: what a run may spend, what was answered, who is let through.

| file | |
| --- | --- |
| `desks.py` | a client or a scorer for a run or a trial |
| `spending.py` | the limit that somebody agreed to: money is held before each call |
| `keeping.py` | each call is a row; answers are used again |
| `allowing.py` | calls and tokens per minute, for all workers together |
| `estimating.py`, `forms.py` | what it will take, and who agrees to that |
| `trials.py`, `reporting.py` | a judge is asked more than for scores |
"""
