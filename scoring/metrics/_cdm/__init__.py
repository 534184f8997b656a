"""CDM and Generative CDM."""
