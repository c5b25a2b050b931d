"""Find submissions that are more alike than independent ones, for people to look at."""
