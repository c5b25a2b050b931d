"""Submissions that are more alike than independent ones are, for people to look at."""
