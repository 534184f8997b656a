"""Results of other evaluation tools, as scores of texts and numbers of systems."""
