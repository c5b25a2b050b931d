"""Students' inquiries about marks: take them in, say who decides each, show what that person needs,
record the answer, and count.

Settings and records are in `gradebook/inquiries.py`, as feedback pages show them.
"""
