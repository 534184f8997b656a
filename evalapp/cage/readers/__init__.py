"""One module for each kind of packed file, run in a child alone: see `evalapp.cage`.

Each has `read(file, out, *, size, ...)`, which tells `Out` what it finds.
"""

from evalapp.cage.readers._out import Out, Refused

__all__ = ["Out", "Refused"]
