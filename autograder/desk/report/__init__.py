"""Show the results of a class or of a student: on a terminal, as an HTML page, and as CSV tables."""
