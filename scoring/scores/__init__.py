"""What a score is, and what there is to say of it."""
