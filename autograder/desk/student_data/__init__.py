"""All that a course keeps of one student, found, handed out and deleted; and a semester's archive.

`places.py` has the table of the kinds of places: a new one is a row there.
"""
