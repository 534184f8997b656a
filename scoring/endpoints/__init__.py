"""Models behind an address: a client that counts every call and reads every answer.

Metrics and judging stand on it. Only whoever asks imports `client`, which needs the
network; the rest is read without it.
"""
