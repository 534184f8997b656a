"""Places: who may hold them, and how they change hands."""
