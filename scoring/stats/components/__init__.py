"""Where the next rating helps: what ratings vary by, and what a study needs.

Generalizability theory for rated texts: systems, prompts, texts, raters. A variance
component says how much of the variance of a single rating comes from each; together
they predict how wide the interval of a difference of two systems will be.
"""
