"""CTRLEval."""
