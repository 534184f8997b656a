"""Whether a judge is stable: the pages and the command that ask. What was asked is a
trial like others, see `scoring.judging`."""
