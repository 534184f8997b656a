"""Invite people by email: a list, a text, and a personal link for each of them.

Nothing is sent twice by itself: each mail is written down before it goes out. A link
is made when its mail is sent, because only its hash is kept.
"""
