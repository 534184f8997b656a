"""What the clusters of a corpus know of texts."""
