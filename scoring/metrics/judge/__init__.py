"""What judges are asked, here and behind an address: prompts, rubrics, scorers, pairs.

Nothing here asks an endpoint before somebody names a model `endpoint:NAME/MODEL`.
"""
