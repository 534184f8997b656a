"""Accounts of an institution: people log in at their provider, by OpenID Connect.

Nothing here runs unless OIDC_URL is set. `protocol.py`, `views.py` and `urls.py` need
django-allauth; nobody imports them otherwise.
"""
