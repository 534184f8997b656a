"""Whoever spends the site's money or good name: who may, how much, and who is there.

| file | |
| --- | --- |
| `permission.py` | who may spend: staff, or whoever has the permission or the group |
| `budgets.py` | what a study, and all studies in a month, may spend; conditional rows |
| `confirming.py` | the password once more, before what cannot be taken back |

Three rooms ask: recruiting (places and bonuses), mailing, and judges over the network.
"""
