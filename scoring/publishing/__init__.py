"""A study as a data set that others find, read and recompute: out, and in again.

`facts` is what is said of the study, `tables` its rows. What writes a file of them is
pure: `card`, and what contrib apps add as `companions`. `writing` puts the folder
together, `scoring.archive` makes a study of one.
"""
