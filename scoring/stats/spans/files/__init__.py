"""Marks that others have published: files of WMT, of ESA, of metrics that mark.

Pure: lines or parsed JSON come in, `segments.Read` goes out. Offsets count code points
of the text without any markup. What does not stand in its text is refused and said, one
by one; it is never placed by guess.
"""
