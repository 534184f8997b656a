"""How much, and how often, anybody may ask."""
