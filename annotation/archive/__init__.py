"""What a study's tables hold: each column once, with its type and meaning. Pure."""
