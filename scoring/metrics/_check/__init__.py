"""Whether a metric keeps its contract."""
