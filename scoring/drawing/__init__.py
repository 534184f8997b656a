"""Numbers as tables and charts. Pure."""
