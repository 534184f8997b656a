"""How answers without care differ from those of readers: arithmetic alone, no page."""
