"""Render the results of a class or a student: on a terminal, as an HTML page, as tables."""
