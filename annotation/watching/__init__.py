"""Who rates how, and what a researcher does about it."""
