"""What can be switched off, a folder each: see `evalapp.doors`."""
