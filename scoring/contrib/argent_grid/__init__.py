"""Which damage ARGENT learns best from: each trained, and one chosen."""
