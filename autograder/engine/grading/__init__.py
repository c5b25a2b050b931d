"""All of it, for one submission."""
