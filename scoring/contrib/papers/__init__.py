"""In a data set, for others: HEDS, Croissant, Every Eval Ever, text for a paper."""
