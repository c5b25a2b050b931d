"""The way in: what was downloaded from a learning platform, and who handed it in."""
