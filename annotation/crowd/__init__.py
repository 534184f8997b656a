"""Every page that a worker sees."""
