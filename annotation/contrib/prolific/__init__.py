"""A study at Prolific, through its API: publish, see who comes, approve, pay.

No call is made inside a transaction. Whatever spends money is written down before it is
sent, and what is not known to have failed is never sent again by itself.
"""
