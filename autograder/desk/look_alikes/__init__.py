"""Find similar submissions for people to look at."""
