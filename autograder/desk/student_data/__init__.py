"""Find, export and delete all data on a student in a course, and archive a semester.

`places.py` has a table with a row for each kind of location.
"""
