"""What each analysis hands to its page: the types of results, and nothing that runs.

A file is one analysis, under its name, and has `Result`. A result is kept as JSON: it
is made of dictionaries, lists, strings, numbers and None, so its types are TypedDicts.
A key that is sometimes absent says so. Who changes a type raises the VERSION of the
analysis.
"""
