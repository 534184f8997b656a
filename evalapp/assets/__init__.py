"""Style sheets, scripts and pictures: small on the way, and kept by browsers.

You need not collect anything before the site starts. Each file has a second address
with a hash of its content, which browsers may keep for a year. `packing` keeps
compressed copies in DATA_DIR, and `serving` sends the one that a browser can read.
`modules` leads scripts that import one another to these addresses.
"""
