"""Work in the background: rows with leases, one state machine for all kinds of work.

A row is the truth, a message of the broker only a wake-up call: a worker that gets one
takes the row by a conditional UPDATE, renews its lease, and ends it behind a fence. So
a worker that is killed loses nothing, and nothing is done twice.
"""
