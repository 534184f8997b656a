"""What all metrics are made of."""
