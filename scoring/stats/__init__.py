"""Statistics on arrays: they know neither Django nor the database."""
