"""Judges over the network: what a run may spend, what was answered, who is let through.

| file | |
| --- | --- |
| `shared_admission.py` | a client or a scorer for a run or a trial |
| `ledger.py` | the limit that somebody agreed to: money is held before each call |
| `site_ceilings.py` | what the operator lets a study, and all studies, spend |
| `budget.py` | what stopped at its limit goes on with a higher one |
| `rate_limits.py` | calls and tokens per minute, for all workers together |
| `call_log.py` | each call is a row; answers are used again |
| `answer_cache.py` | how much of it was answered before |
| `estimates.py`, `forms/limits.py`, `api.py` | what it will take, and who agrees |
| `capability_probe.py` | whether a server gives log-probabilities of texts |
| `endpoint_runs.py` | what is different about runs that ask a judge |
| `judge_prompt.py` | what a judge is told beside its questions |
| `usage_report.py` | what was asked so far, and what went wrong |
| `identities.py` | who answers under a name, and since when it is somebody else |
| `trials.py`, `trial_report.py` | a judge is asked more than for scores |
| `trial_judge.py`, `text_sample.py` | whom a trial asks, and about which texts |
| `pairs.py` | which pairs of texts it compares, in both orders, and what that shows |
| `judge_votes.py` | its verdicts as the votes of one voter, apart from people's |
| `steps.py` | evaluation steps, written by a judge once and edited by people |
| `stress.py`, `stress_test.py`, `stress_wording.py` | what moves a judge |
| `anchors.py`, `anchor_sets.py`, `drift_wording.py` | whether a judge drifts in time |
| `trial_pages.py`, `pair_sections.py` | trials as pages show them |
"""
