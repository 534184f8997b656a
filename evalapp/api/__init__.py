"""What all of the API shares: errors, JSON, pages of a list."""
