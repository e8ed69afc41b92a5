"""The client of the Runtime API: what it asks, what it was told. It runs over any transport."""
