"""People who got an email: their way out, and when their addresses are deleted.

Both hold on whether or not this site still sends any: see `annotation.contrib.mailing`.
"""
