"""Judge-corrected means of human ratings, where people rated a random part only.

Every text has a metric's score, and a random part has ratings too. The scores say how
the rated part differs from all texts, the ratings how far the scores are off
(prediction-powered inference; Angelopoulos et al. 2023, PPI++ 2024). `draws` says which
texts people are asked about, `mapping` turns scores into expected ratings, `forms` has
the variances, `correcting` the numbers, `worth` the ratings that they save, and
`refusing` why there is none.
"""
