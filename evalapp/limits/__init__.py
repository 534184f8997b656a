"""How much, and how often, anyone may ask."""
