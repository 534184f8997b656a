"""Pages about whether a judge is stable: the stress lab and anchors."""
