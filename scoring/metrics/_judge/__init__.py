"""Judges behind an address: endpoints, a client that counts every call, four modes.

Nothing here is imported before somebody names a model `endpoint:NAME/MODEL`.
"""
